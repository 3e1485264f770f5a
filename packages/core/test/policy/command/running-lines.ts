/** One command a line, its words between blanks; a word with blanks stands in quotes. */
export const HOSTILE_READERS = `
  rg --pre sh x
  rg --pre=sh x
  rg --hostname-bin=sh x
  rg -z x
  rg x /etc
  rg x src/../..
  rg -f /etc/passwd
  rg --files .env
  rg -g
  rg -e --pre=sh
  grep -f /etc/passwd x
  grep -rnf x
  grep x .env
  grep -e x .git/config
  grep --files-with-matches x
  find . -delete
  find . -exec sh ;
  find . -exec rm {} ;
  find . -exec rm {} +
  find . -exec cat {} +
  find . -exec sh -c 'git status {}' ;
  find . -exec git diff --output={} ;
  find . -exec {} ;
  find . -exec env {} ;
  find . -exec git status
  find . -exec ;
  find . -execdir ./a ;
  find . -execdir git status ;
  find . -name HEAD -execdir tee src/a ;
  find . -ok sh ;
  find . -fprint src/a
  find . -fprintf src/a x
  find . -fls src/a
  find . -files0-from x
  find / -name x
  find .git
  sed '1e id' src/a.js
  sed e src/a.js
  sed s/a/b/e src/a.js
  sed s/a/b/ge src/a.js
  sed s/a/id/;e src/a.js
  sed 's/a/b/w src/x' src/a.js
  sed 'w /tmp/x' src/a.js
  sed -n 'r /etc/passwd' src/a.js
  sed -n 'p;e id' src/a.js
  sed -n -e p -e 'e id' src/a.js
  sed -n p src/a.js -e 'e id'
  sed -n '--expression=e id' src/a.js
  sed -f src/a.sed src/a.js
  sed -ni p src/a.js
  sed -i s/a/b/ .git/config
  sed -i.bak s/a/b/ src/a.js
  sed s/a/b/ src/a.js -i docs/a
  sed p /etc/passwd
  awk 'BEGIN { system("id") }'
  awk 'BEGIN { "id" | getline }'
  awk 'BEGIN { print 1 | "sh" }'
  awk 'BEGIN { print 1 > "src/a" }'
  awk 'BEGIN { while ((getline l < "/etc/passwd") > 0) print l }'
  awk 'BEGIN { ARGV[1] = "/etc/passwd"; ARGC = 2 } { print }'
  awk '@load "exec"; BEGIN { }'
  awk '@include "/tmp/a"'
  awk 'BEGIN { f = "system"; @f("id") }'
  awk -f src/a.awk
  awk --source 'BEGIN { system("id") }'
  awk -v a=b '{ print }'
  awk '{ print }' /etc/passwd
  tar -xf src/a.tar
  tar xf src/a.tar
  tar cfI src/a.tar sh
  tar -tf src/a.tar --to-command=sh
  tar -tf src/a.tar -I sh
  tar -tf src/a.tar --use-compress-program=sh
  tar -tf src/a.tar --checkpoint-action=exec=sh
  tar -tf /tmp/a.tar
  sort --compress-program=sh src/a
  sort --compress-prog sh src/a
  sort -o src/a src/b
  sort -osrc/a
  sort -T src src/a
  sort --files0-from=-
  man -P sh ls
  man -Psh ls
  man --pager=sh ls
  man -H ls
  cat /etc/passwd
  cat .env
  cat src/../.env
  cat src/.ENV
  cat .git/config
  cat ~/.ssh/id_rsa
  cat -
  cat /proc/self/environ
  cat certs/server.pem
  head -n5 src/a.js
  head -c 5 src/a.js
  head -n -5 src/a.js
  ls -R
  ls --hyperlink
  ls .git/hooks
  diff --from-file=/etc/passwd src/a
  diff -u /dev/null src/a
  less src/a.js
  more src/a.js
  vim -c :!sh
  ed src/a.js
  view src/a.js
  tar -tf evil:a.tar
  tar -tf src/a.tar evil:b
  sed -n p -- -i
  awk '{ print }' - src/a
  rg x,/etc/passwd -- @/etc/passwd
  cat src/a=/etc/passwd
  cat @/etc/passwd
`;

export const HOSTILE_WRITERS = `
  tee .git/hooks/pre-commit
  tee -a package.json
  tee src/a.js docs/a
  tee -- .husky/pre-commit
  cp src/a .git/hooks/pre-commit
  cp .env src/a
  cp -t .github src/a
  cp -t.github src/a
  cp --target-directory=.github src/a
  cp --target-d=.github src/a
  cp src/a vitest.config.ts
  mv src/a package.json
  mv package.json src/a
  dd if=src/a of=.git/config
  dd if=/dev/sda of=src/a
  dd if=.env of=src/a
  mkdir -p .git/hooks
  mkdir docs
  chmod 777 .husky/pre-commit
  chmod +x docs/a
  ln -s /etc src/a
  ln -s .git src/a
  rm -rf src
  bash -c 'rm -rf src'
  timeout 5 rm src/a
  xargs rm
  echo x > /etc/passwd
  patch -p1
  truncate -s 0 src/a.js
  cp -r docs/a src/a
  cp -a . src/a
  cp -ra .git src/a
  chmod -R 777 src
  cp docs/a
`;

export const HOSTILE_WRAPPERS = `
  env -i git status
  env -u GIT_CONFIG_COUNT git status
  env --unset=GIT_CONFIG_COUNT git status
  env -S 'git status'
  env -C src git status
  env GIT_SSH_COMMAND=sh git status
  env LD_PRELOAD=src/a.so git status
  env PATH=src git status
  env NODE_OPTIONS=--import=./a.js npm test
  env npm_config_script_shell=src/a npm test
  env CI=/etc/x git status
  env CI=1 NODE_ENV=test PAGER=sh git log
  env CI=1 sh
  env ./git status
  env -- -u git
  timeout 5 sh
  timeout -k5 30 npm test
  timeout --kill 5 30 npm test
  timeout -s KILL 30 npm test
  timeout npm test
  timeout 5
  nice -10 npm test
  nice -n10 npm test
  nice bash
  nohup bash src/a.sh
  setsid -f npm test
  stdbuf -oL npm test
  time -o src/a npm test
  time -f x npm test
  xargs git status
  xargs -0 ls
  xargs -a /etc/passwd ls
  xargs -I git git status
  bash
  bash src/a.sh
  bash -i
  bash -s
  bash -xc 'git status'
  bash -ic 'git status'
  bash -cx 'git status'
  bash -O extglob -c 'git status'
  bash --rcfile src/a -c 'git status'
  bash --init-file src/a -ic 'git status'
  bash -c 'git status' x
  bash -c 'git status; id'
  bash -c $(id)
  bash -c 'git log \`id\`'
  bash -c 'git log > /etc/x'
  bash -c 'cat <(id)'
  bash -c 'A=1 git status'
  bash -c 'export A=1'
  bash -c 'cd src'
  bash -c 'git status &'
  bash -c 'cat *'
  bash -c 'cat ~/.ssh/id_rsa'
  bash -c 'cat {a,b}'
  bash -c ''
  bash -c id
  zsh -c 'git status'
  fish -c 'git status'
  busybox sh -c 'git status'
  sudo git status
  sudo -u root ls
  doas ls
  su -c ls
  chroot src ls
  unshare -r ls
  script -c ls src/a
  watch ls
  parallel ls
  flock src/a ls
  strace ls
  ssh -o ProxyCommand=sh x
  docker run -v /:/x a
  /lib64/ld-linux-x86-64.so.2 /bin/ls
  exec ls
  . src/a
  builtin echo
  env ' ' git
  env 'A B=1' git status
  nohup -
  bash -c './git status'
  bash -c %1
  bash -c 'git status #x'
  unbuffer git status
`;
