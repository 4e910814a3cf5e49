#!/bin/sh
# Creates .env with the version of this folder and new keys and passwords for docker-compose.yml. An existing file is kept: with
# other keys, the data that is encrypted already could not be read again.
set -eu
file="${1:-.env}"
if [ -e "$file" ]; then
  echo "$file exists and was not changed"
  exit 0
fi
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$(dirname "$0")/../package.json")
umask 077
new="$file.new-$$"
trap 'rm -f "$new"' EXIT
{
  echo "# Keep a copy of this file in a safe place: encrypted data cannot be recovered without ENCRYPTION_KEYS."
  echo "TRIBUTARY_VERSION=${version:?package.json has no version}"
  echo "ENCRYPTION_KEYS=k1:$(openssl rand -base64 32)"
  echo "POSTGRES_OWNER_PASSWORD=$(openssl rand -hex 24)"
  echo "POSTGRES_APP_PASSWORD=$(openssl rand -hex 24)"
  echo "TEMPORAL_POSTGRES_PASSWORD=$(openssl rand -hex 24)"
  echo "TEMPORAL_UI_PASSWORD=$(openssl rand -hex 24)"
  echo "REDIS_PASSWORD=$(openssl rand -hex 24)"
  echo "TLS_ASK_TOKEN=$(openssl rand -hex 24)"
} > "$new"
# Fails when another start was faster.
ln "$new" "$file"
echo "$file was created"
