#!/bin/sh
# The demo's story through compose: the contract scenarios of each route first, then each spec. Ends with the code of the
# first command that did not succeed.
set -eu
repository=/srv/sources/demo
export HOME=/tmp GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null

if [ ! -d "$repository" ]; then
  cp -r /app/fixtures/demo/repository "$repository.new"
  cd "$repository.new"
  git init --quiet --initial-branch main
  git add --all
  git -c user.name=demo -c user.email=demo@example.invalid commit --quiet --message "A shop's prices"
  mv "$repository.new" "$repository"
fi

cd /demo
for route in gateway gateway-chat gateway-anthropic gateway-gemini; do
  printf '\n== contract of %s\n' "$route"
  node /app/dist/main.js contract --route "$route"
done
for spec in fix-test cut-write forbidden; do
  printf '\n== %s\n' "$spec"
  node /app/dist/main.js run --spec "$spec.yaml" --wait
done
