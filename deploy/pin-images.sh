#!/bin/sh
# Writes the digests of all images of docker-compose.yml and Dockerfile after their tags, as their registry reports them now:
# sh deploy/pin-images.sh. Needs curl. Without an answer for every image, nothing is changed.
set -eu
cd "$(dirname "$0")/.."
files="docker-compose.yml Dockerfile"
# Another registry that has the images of Docker Hub, such as a mirror.
registry="${REGISTRY_URL:-https://registry-1.docker.io}"
types="application/vnd.oci.image.index.v1+json,application/vnd.docker.distribution.manifest.list.v2+json"

fetch() { curl -sS --connect-timeout 5 --max-time 20 "$@"; }

# The digest of all platforms' image, with an anonymous token where the registry asks for one.
digest_of() {
  url="$registry/v2/$1/manifests/$2"
  head="$(fetch -I -H "Accept: $types" "$url" | tr -d '\r')"
  realm="$(printf '%s\n' "$head" | sed -n 's/^[Ww]ww-[Aa]uthenticate: Bearer realm="\([^"]*\)".*/\1/p')"
  service="$(printf '%s\n' "$head" | sed -n 's/^[Ww]ww-[Aa]uthenticate: .*service="\([^"]*\)".*/\1/p')"
  if [ -n "$realm" ]; then
    token="$(fetch -G "$realm" --data-urlencode "service=$service" --data-urlencode "scope=repository:$1:pull" |
      sed -n 's/.*"token": *"\([^"]*\)".*/\1/p')"
    head="$(printf 'header = "Authorization: Bearer %s"\n' "$token" | fetch -K - -I -H "Accept: $types" "$url" | tr -d '\r')"
  fi
  printf '%s\n' "$head" | sed -n 's/^[Dd]ocker-[Cc]ontent-[Dd]igest: \(sha256:[0-9a-f]\{64\}\)$/\1/p'
}

edits="$(mktemp)"
trap 'rm -f "$edits" docker-compose.yml.new Dockerfile.new' EXIT
# shellcheck disable=SC2086
images="$(sed -n -E 's/^(FROM| +image:) ([a-z0-9./-]+:[0-9][A-Za-z0-9._-]*)(@sha256:[0-9a-f]+)?( .*)?$/\2/p' $files | sort -u)"
for image in $images; do
  name="${image%%:*}" tag="${image#*:}"
  case "$name" in */*) path="$name" ;; *) path="library/$name" ;; esac
  digest="$(digest_of "$path" "$tag" || true)"
  if [ -z "$digest" ]; then
    echo "$registry gave no digest of $image: nothing was changed. Run this again where the registry can be reached." >&2
    exit 1
  fi
  printf 's|( %s)(@sha256:[0-9a-f]+)?( .*)?$|\\1@%s\\3|\n' "$image" "$digest" >> "$edits"
  echo "$image@$digest"
done
for file in $files; do
  sed -E -f "$edits" "$file" > "$file.new"
  cat "$file.new" > "$file"
done
echo "The digests were written into $files"
