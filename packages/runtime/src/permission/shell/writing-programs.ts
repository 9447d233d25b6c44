import type { ProgramRow } from './command-effect.ts';

/** Programs that change files or that show them in ways of their own: their rows tell which ones they open. */
export const writingPrograms: readonly ProgramRow[] = [
  { names: 'rm', flags: '--interactive? *', operands: 'prune' },
  {
    names: 'rmdir unlink shred srm trash',
    flags: '-n= --iterations= -s= --size= --random-source< *',
    operands: 'write',
  },
  { names: 'touch', flags: '-r< --reference< -d= -t= --date= --time= *', operands: 'write' },
  { names: 'mkdir mkfifo', flags: '-m= --mode= -Z *', operands: 'write' },
  { names: 'mknod', flags: '-m= --mode= *', operands: 'write word' },
  { names: 'truncate', flags: '-s= --size= -r< --reference< *', operands: 'write' },
  { names: 'tee sponge', flags: '--output-error? *', operands: 'write' },
  {
    names: 'chmod chown chgrp chattr setfacl',
    flags: '--reference<@ --from= -R+ --recursive+ -m=@ -x=@ -M<@ *',
    operands: 'word write',
  },
  {
    names: 'gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress',
    flags: '-S= --suffix= -T= --threads= -o> -D< -r+ --recursive+ *',
    operands: 'write',
  },
  { names: 'zcat bzcat xzcat zstdcat', flags: '*', operands: 'read' },
  { names: 'zip', flags: '-b= -n= -t= -tt= -x! -i! -TT$ --unzip-command$ *', operands: 'prune tree' },
  { names: 'unzip', flags: '-d>+ -x= -l -v -p -t -Z *', operands: 'read word' },
  {
    names: 'split csplit',
    flags: '-a= -b= -C= -l= -n= -t= -f= -k --bytes= --lines= --number= --filter$ *',
    operands: 'read write',
  },
  {
    names: 'patch',
    flags: '-i< --input< -o> --output> -r> --reject-file> -p= --strip= -d/ --directory/ -e! --ed! *',
    operands: 'prune read',
    here: true,
  },
  {
    names: 'less more most',
    flags: '-o> -O> --log-file> --LOG-FILE> -k< -p= -t= -T< -x= -j= -P= -b= -h= -y= -z= *',
    operands: 'read',
  },
  {
    names: 'bat batcat',
    flags: '-l= --language= -r= --line-range= -H= --theme= --style= --color= --pager$ --paging= *',
    operands: 'read',
  },
  { names: 'xxd', flags: '-c= -g= -l= -n= -o= -s= -cols= -len= *', operands: 'read write' },
  { names: 'history', flags: '-d= *', operands: 'write' },
  { names: 'pr lpr lp', flags: '*', operands: 'read' },
  { names: 'zipinfo lsattr getfacl nm objdump readelf size ldd otool sqlite3 plutil', flags: '*', operands: 'read' },
];

/**
 * Programs whose arguments are no commands that they run. What they do otherwise, rules say. Any other program that no
 * table lists may be a wrapper (`ShellCommand.mayRun`).
 */
export const plainPrograms: readonly string[] = [
  'gh glab hub brew apt apt-get apt-cache aptitude dnf yum apk pacman zypper port snap flatpak pip pip3 pipenv gem composer conda mamba rustup nvm volta',
  'go cargo rustc rustfmt gofmt gcc g++ cc c++ clang clang++ ld ar javac jar kotlinc dotnet swiftc protoc cmake ctest tsc tsserver eslint prettier biome oxlint',
  'jest vitest mocha playwright cypress pytest ruff black mypy pyright flake8 isort pylint tox phpunit rspec rubocop shellcheck shfmt hadolint yamllint',
  'terraform tofu aws gcloud az helm kustomize minikube kind vercel netlify wrangler firebase heroku fly flyctl supabase psql mysql redis-cli mongosh',
  'kill pkill killall renice systemctl service launchctl journalctl dmesg mount umount ip ifconfig ping dig nslookup host traceroute netstat ss lsof',
  'open xdg-open code pbcopy pbpaste xclip xsel defaults diskutil convert magick ffmpeg ffprobe pandoc pdftotext gpg openssl ssh-keygen ssh-add sha256 md5',
  'printenv fc umask ulimit bg fg disown suspend help logout shopt bind complete compopt unalias caller tput stty reset mktemp sync yes shuf numfmt',
  'next vite webpack rollup esbuild turbo nx lerna tsup storybook ng vue svelte-kit astro expo react-native pod fastlane xcodebuild simctl adb gradle gradlew mvn mvnw ant sbt',
]
  .join(' ')
  .split(' ');
