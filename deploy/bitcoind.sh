#!/bin/bash
# Brings bitcoind (Bitcoin Knots, a fork of Bitcoin Core) into a directory, for the tests of the Bitcoin driver: as Debian sid packs it,
# signatures checked, with the libraries it needs. Nothing is installed, and nobody has to be root. If sid cannot be had, a file says so
# and the tests that need bitcoind are left out.
set -euo pipefail

tools=$(realpath -m "${1:?the directory for tools}")
absent=$tools/bitcoind.absent
if [ -x "$tools/bitcoind" ]; then exit 0; fi
mkdir -p "$tools"
rm -rf "$absent" "$tools/bitcoind.d"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

leave_out() {
	echo "bitcoind: $1: the tests with it are left out" | tee "$absent" >&2
	exit 0
}

command -v apt-get >/dev/null && command -v dpkg >/dev/null || leave_out "this is no Debian machine"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keys" ] || leave_out "the keys of Debian are not here (debian-archive-keyring)"

mkdir -p "$scratch"/state/lists/partial "$scratch"/cache/archives/partial "$scratch"/root
: >"$scratch/empty"
echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" >"$scratch/sid.list"
apt() {
	apt-get -qq -o Dir::State="$scratch/state" -o Dir::State::status="$scratch/empty" -o Dir::Cache="$scratch/cache" \
		-o Dir::Etc::sourcelist="$scratch/sid.list" -o Dir::Etc::sourceparts=- -o APT::Sandbox::User="$(id -un)" \
		-o Acquire::http::Timeout=20 -o Acquire::Retries=2 -o APT::Update::Error-Mode=any "$@" >/dev/null
}
apt update || leave_out "Debian sid did not answer"
apt --no-install-recommends -y -d install bitcoin-knots || leave_out "Debian sid did not answer"
for deb in "$scratch"/cache/archives/*.deb; do
	dpkg -x "$deb" "$scratch/root"
done

# It needs the C library of sid, so it is started by the loader of sid.
loader=$(ls "$scratch"/root/usr/lib/*/ld-linux-*.so.*)
libraries=$(dirname "$loader")
mkdir "$tools/bitcoind.d"
cp "$loader" "$tools/bitcoind.d/loader"
cp "$scratch/root/usr/bin/bitcoind" "$tools/bitcoind.d/"
"$loader" --library-path "$libraries" --list "$scratch/root/usr/bin/bitcoind" |
	awk -v at="$libraries/" 'index($3, at) == 1 { print $3 }' | xargs -I{} cp -L {} "$tools/bitcoind.d/"
cat >"$tools/bitcoind.d/start" <<'WRAPPER'
#!/bin/bash
here=$(dirname "$(realpath "$0")")/bitcoind.d
exec "$here/loader" --library-path "$here" "$here/bitcoind" "$@"
WRAPPER
chmod +x "$tools/bitcoind.d/start"
mv "$tools/bitcoind.d/start" "$tools/bitcoind"
"$tools/bitcoind" --version | head -1
