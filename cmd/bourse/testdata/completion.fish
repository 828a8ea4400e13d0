# Completion of bourse in fish, printed by 'bourse completion fish'.
function __bourse_at
    set -l at bourse
    set -l skip 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $skip = 1
            set skip 0
        else if contains -- "$at $word" 'bourse operator --token' 'bourse operator accounts --token' 'bourse operator accounts list --token' 'bourse operator accounts list --state' 'bourse operator accounts lock --token'
            set skip 1
        else if contains -- "$at $word" 'bourse operator' 'bourse operator accounts' 'bourse operator accounts list' 'bourse operator accounts lock'
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
complete -c bourse -f
complete -c bourse -n '__bourse_at \'bourse\'' -a operator -d 'The operator\'s.'
complete -c bourse -n '__bourse_at \'bourse\'' -l help -d 'Show context-sensitive help.'
complete -c bourse -n '__bourse_at \'bourse operator\'' -a accounts -d 'Accounts.'
complete -c bourse -n '__bourse_at \'bourse operator\'' -l help -d 'Show context-sensitive help.'
complete -c bourse -n '__bourse_at \'bourse operator\'' -l token -x -d 'Who.'
complete -c bourse -n '__bourse_at \'bourse operator accounts\'' -a list -d 'List them.'
complete -c bourse -n '__bourse_at \'bourse operator accounts\'' -a lock -d 'Lock one.'
complete -c bourse -n '__bourse_at \'bourse operator accounts\'' -l help -d 'Show context-sensitive help.'
complete -c bourse -n '__bourse_at \'bourse operator accounts\'' -l token -x -d 'Who.'
complete -c bourse -n '__bourse_at \'bourse operator accounts list\'' -l help -d 'Show context-sensitive help.'
complete -c bourse -n '__bourse_at \'bourse operator accounts list\'' -l token -x -d 'Who.'
complete -c bourse -n '__bourse_at \'bourse operator accounts list\'' -l state -x -a 'open closed' -d 'Which ones: those that are \'open\', or not.'
complete -c bourse -n '__bourse_at \'bourse operator accounts lock\'' -l help -d 'Show context-sensitive help.'
complete -c bourse -n '__bourse_at \'bourse operator accounts lock\'' -l token -x -d 'Who.'
