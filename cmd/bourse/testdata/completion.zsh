#compdef bourse
# Completion of bourse in zsh, printed by 'bourse completion zsh'.
_bourse() {
    local at=bourse flag=${words[CURRENT-1]} i
    local -a subcommands flags
    for ((i = 2; i < CURRENT; i++)); do
        case "$at ${words[i]}" in
        ('bourse operator --token'|'bourse operator accounts --token'|'bourse operator accounts list --token'|'bourse operator accounts list --state'|'bourse operator accounts lock --token') ((i++)) ;;
        ('bourse operator'|'bourse operator accounts'|'bourse operator accounts list'|'bourse operator accounts lock') at="$at ${words[i]}" ;;
        esac
    done
    if compset -P '--*='; then flag=${IPREFIX%=}; fi
    case "$at $flag" in
    ('bourse operator --token') :; return ;;
    ('bourse operator accounts --token') :; return ;;
    ('bourse operator accounts list --token') :; return ;;
    ('bourse operator accounts list --state') compadd -- open closed; return ;;
    ('bourse operator accounts lock --token') :; return ;;
    esac
    case "$at" in
    ('bourse')
        flags=('--help:Show context-sensitive help.')
        subcommands=('operator:The operator'\''s.')
        : ;;
    ('bourse operator')
        flags=('--help:Show context-sensitive help.' '--token:Who.')
        subcommands=('accounts:Accounts.')
        : ;;
    ('bourse operator accounts')
        flags=('--help:Show context-sensitive help.' '--token:Who.')
        subcommands=('list:List them.' 'lock:Lock one.')
        : ;;
    ('bourse operator accounts list')
        flags=('--help:Show context-sensitive help.' '--token:Who.' '--state:Which ones: those that are '\''open'\'', or not.')
        subcommands=()
        : ;;
    ('bourse operator accounts lock')
        flags=('--help:Show context-sensitive help.' '--token:Who.')
        subcommands=()
        : ;;
    esac
    if ((${#subcommands})); then _describe -t commands command subcommands; fi
    _describe -o -t flags flag flags
}
if [[ ${funcstack[1]} == _bourse ]]; then _bourse "$@"; else compdef _bourse bourse; fi
