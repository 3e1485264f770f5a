/** One command a line, its words between blanks; a word with blanks stands in quotes. */
export const HARMLESS = `
  git status --short
  git log -n 5 --oneline main..feature -- src/a.js
  git grep needle HEAD~2
  git commit -m 'Fix the sum: a, b/c (no rm -rf)'
  node --test --test-reporter=tap test/a.test.js
  npm test --silent
  npm run lint
  npm exec --no -- eslint --quiet src
  pnpm exec eslint src
  yarn run lint
  python3 -m pytest -q test/unit
  pytest -q -k sums test
  go test -v -run=TestSum ./...
  cargo test --package core
  rg -n needle src
  grep -rn needle src
  find src -name *.js -type f
  find src -type f -exec git log --oneline -- {} ;
  sed -n 1,20p src/a.js
  sed -i s/a/b/g src/a.js
  awk -F : '{ print $1 }' src/a.js
  tar -tf src/a.tar
  sort -u src/a.txt
  make -s test
  ls -la src
  cat src/a.js
  head -n 5 src/a.js
  diff -u src/a.js src/b.js
  man ls
  echo hello
  tee src/a.js
  mv src/a src/b
  dd if=docs/a of=src/a bs=1
  mkdir -p src/x
  chmod 644 src/a.js
  ln -s src/a src/b
  env CI=1 git status
  timeout -k 5 30s npm test
  nice -n 10 npm test
  nohup setsid -w npm test
  stdbuf -o L npm test
  time -p npm test
  bash -lc 'git log --oneline -n 5'
`;

export const HOSTILE_GIT = `
  git -c core.pager=sh log
  git -c alias.x=!sh x
  git --config-env=core.pager=X log
  git --exec-path=src status
  git -C nested status
  git --git-dir=src/evil status
  git -p log
  git --paginate log
  git lg
  git diff --ext-diff
  git diff --output=src/a
  git diff --outp=src/a
  git diff --no-index /etc/passwd src/a
  git show --textconv HEAD
  git grep -Osh needle
  git grep -O needle
  git grep --open-files-in-pager=sh needle
  git log -S
  git log -n5
  git log --format
  git blame --contents /etc/passwd a
  git branch --edit-description
  git commit -F /etc/passwd
  git commit -eF x
  git commit --template=x
  git rebase --exec sh
  git bisect run sh
  git submodule foreach sh
  git filter-branch --tree-filter sh
  git difftool -x sh
  git config core.hooksPath src
  git clone 'ext::sh -c id'
  git push 'ext::sh -c id'
  git push --receive-pack=sh origin
  git push --exec sh origin
  git push --force origin
  git push -uf origin
  git fetch --upload-p=sh origin
  git ls-remote --upload-pack=sh src
  git archive --remote=x HEAD
  git help -w
  git
  git-upload-pack x
  /tmp/git status
  ./git status
  src/git status
  GIT status
  git log 'ext::sh -c id'
  git diff fd::7
  git status --work-tree=src
  git log x,/etc/passwd
`;

export const HOSTILE_NODE = `
  node -e 1
  node --eval=1
  node -p 1
  node -pe 1
  node src/a.js
  node src/a.js --test
  node --test -r ./a.js
  node --test --import=./a.js
  node --test --import data:text/javascript,1
  node --test --test-reporter=./a.js
  node --test --test-reporter=data:text/javascript,1
  node --test --test-reporter tap
  node --test --test-reporter-destination=src/a
  node --test --env-file=.env
  node --test --experimental-loader=./a.js
  node --test --inspect=0.0.0.0
  node --test --cpu-prof-dir=src
  node --test --test-global-setup=./a.js
  node --test /tmp/a.js
  node --test ../a.js
  node --test -
  node --run build
  node
  node20 --test
  nodejs -e 1
`;

export const HOSTILE_PACKAGE_MANAGERS = `
  npm run postinstall
  npm run lint -- --fix
  npm run lint build
  npm run
  npm run-script lint
  npm ru lint
  npm test --prefix src
  npm --prefix=src test
  npm test --script-shell=src/a
  npm test --node-options=--import=./a.js
  npm test --userconfig=src/.npmrc
  npm install evil
  npm init evil
  npm x --no -- eslint
  npm exec evil
  npm exec --no eslint
  npm exec -- eslint
  npm exec --no -c sh
  npm exec --no --call=sh
  npm exec --no --package=evil -- eslint
  npm exec --no -- eslint@0.0.1
  npm exec --no -- ./eslint
  npm exec --no -- ../eslint
  npm exec --no -- git status
  npm exec --no -- eslint --config=src/a.js
  npx eslint
  npx --yes evil
  pnpm dlx evil
  pnpm exec -c sh
  pnpm exec git status
  pnpm -C src exec eslint
  pnpm eslint
  pnpm run lint
  yarn --version
  yarn exec sh
  yarn dlx evil
  yarn --cwd=src run lint
  yarn lint
  yarn
  corepack yarn run lint
  bunx evil
  npm exec --no -- tsx src/a.ts
  npm exec --no -- env sh
  node_modules/.bin/tsx src/a.ts
  pnpm exec cross-env A=1 sh
`;

export const HOSTILE_LANGUAGES = `
  python3 -c 1
  python3 -m http.server
  python3 -m pip install evil
  python3 -mpytest
  python3 -im pytest
  python3 src/a.py
  python3 -
  python3
  pytest -p evil
  pytest -c src/pytest.ini
  pytest --rootdir=src
  pytest -o python_files=x
  pytest --basetemp=src
  pytest --junitxml=src/a
  pytest --pdbcls=a:b
  pytest -qx
  pytest /tmp/test
  go test -exec sh ./...
  go test -exec=sh ./...
  go test --exec=sh
  go build -toolexec=sh
  go vet -vettool=src/a
  go build -o src/a
  go build -overlay=src/a.json
  go generate ./...
  go run ./src
  go env -w CC=sh
  go -C src test
  cargo --config src/a.toml test
  cargo test "--config=target.x.runner='sh'"
  cargo +evil test
  cargo run
  cargo install evil
  cargo xtask
  cargo test --target-dir=src
  cargo test --manifest-path=/tmp/Cargo.toml
  cargo clippy --fix
  cargo test --package=core
  make evil
  make
  make -f src/Makefile test
  make -C src test
  make --eval=x:;sh test
  make test CC=sh
  make SHELL=src/a test
  make test lint
  make -sf src/Makefile
  gcc -wrapper sh a.c
  perl -e 1
  ruby -e 1
  php -r 1
  lua -e 1
  python3.12 -c 1
  tsx src/a.ts
  cargo test -- -Zunstable
  go test ./... -args x
`;
