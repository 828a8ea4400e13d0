#!/usr/bin/env bash
# Packs releases: deploy/dist.sh VERSION DIRECTORY OS/ARCH…
#
# The same source makes the same bytes on every machine and at any time: the times in the archives are those of
# the last commit, or SOURCE_DATE_EPOCH. `make dist` is the usual way to call it.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$1 out=$2
shift 2
program=${BOURSE:-bin/bourse}
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$out"
rm -f "$out"/bourse_*.tar.gz "$out"/SHA256SUMS
for platform; do
  name=bourse_${version}_${platform/\//_}
  mkdir "$work/$name"
  CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} \
    go build -trimpath -ldflags "-X main.version=$version" -o "$work/$name/bourse" ./cmd/bourse
  # It must run on any machine of the platform, with whatever libraries there are.
  go version -m "$work/$name/bourse" | grep -q 'CGO_ENABLED=0' || { echo "$name is not static" >&2; exit 1; }
  "$program" man >"$work/$name/bourse.1"
  go run ./internal/license/collect "$platform" >"$work/$name/THIRD_PARTY_LICENSES"
  tar -c --exclude=node_modules --exclude=package-lock.json --exclude=.env --exclude=.gitignore --exclude=dist.sh README.md CHANGELOG.md LICENSE docs examples deploy |
    tar -x -C "$work/$name"
  tar -c -C "$work" --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX --format=ustar "$name" |
    gzip -n >"$out/$name.tar.gz"
done
cd "$out"
sha256sum bourse_*.tar.gz >SHA256SUMS
