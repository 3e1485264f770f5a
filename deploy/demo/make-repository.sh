#!/bin/sh
# The demo's files as a git repository with one commit on `main`, in the volume of sources.
set -eu
target=/srv/sources/demo
[ -d "$target" ] && exit 0
export HOME=/tmp GIT_CONFIG_NOSYSTEM=1
cp -r /app/fixtures/demo/repository "$target.new"
cd "$target.new"
git init --quiet --initial-branch main
git add --all
git -c user.name=demo -c user.email=demo@example.invalid commit --quiet --message "A shop's prices"
mv "$target.new" "$target"
