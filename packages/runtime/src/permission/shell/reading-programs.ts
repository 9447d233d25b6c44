import type { ProgramRow } from './command-effect.ts';

/**
 * Programs that change nothing and run nothing with the flags that their rows have: a flag that could write a file, run
 * another program or set something is absent from a strict row and marked in a lenient one (see `FlagGrammar`).
 */
export const readingPrograms: readonly ProgramRow[] = [
  // What prints what it is told, or what is so anyway.
  {
    names: 'echo true false : clear groups id lsb_release nproc sw_vers tty uname users uptime who whoami w',
    flags: '*',
    operands: 'word',
  },
  { names: 'printf', flags: '-v! *', operands: 'word' },
  {
    names: 'seq expr factor sleep basename dirname logname which whereis locale cal free pgrep',
    flags: '-s= --suffix= -f= --format= *',
    operands: 'word',
  },
  {
    names: 'hostname',
    flags: '-A -a -d -f -i -I -s -y --fqdn --long --short --ip-address --all-ip-addresses --domain',
    operands: 'word',
    form: /^$/,
  },
  { names: 'pwd dirs times', flags: '-L -P -l -p -v', operands: 'word', form: /^$/ },
  { names: 'type', flags: '-a -f -p -P -t', operands: 'word' },
  {
    names: 'date',
    flags:
      '-u --utc --universal -R --rfc-email -I? --iso-8601? --rfc-3339= -d= --date= -r< --reference< -f< --file< -j -n --debug -s! --set!',
    operands: 'word',
    form: /^\+/,
  },
  { names: 'ps', flags: '*', operands: 'word' },
  { names: 'df', flags: '-t= -x= -B= --type= --exclude-type= --block-size= --output? *', operands: 'word' },
  { names: 'tr', flags: '*', operands: 'word' },
  { names: 'realpath readlink', flags: '--relative-to= --relative-base= *', operands: 'word' },

  // What prints files.
  {
    names: 'cat tac rev md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum',
    flags: '*',
    operands: 'read',
  },
  {
    names: 'nl',
    flags:
      '-b= -d= -f= -h= -i= -l= -n= -s= -v= -w= --body-numbering= --number-format= --number-width= --number-separator= *',
    operands: 'read',
  },
  {
    names: 'head tail',
    flags: '-n= -c= -s= --lines= --bytes= --sleep-interval= --pid= --max-unchanged-stats= *',
    operands: 'read',
  },
  { names: 'wc', flags: '-c -m -l -L -w --bytes --chars --lines --words --max-line-length --total=', operands: 'read' },
  {
    names: 'fold fmt expand unexpand',
    flags: '-w= -g= -p= -t= --width= --goal= --prefix= --tabs= *',
    operands: 'read',
  },
  {
    names: 'od hexdump',
    flags: '-A= -j= -N= -S= -t= -w? -n= -s= -e= -f< --address-radix= --skip-bytes= --read-bytes= --format= *',
    operands: 'read',
  },
  {
    names: 'strings',
    flags: '-n= -t= -e= -T= -s= --bytes= --radix= --encoding= --target= --output-separator= *',
    operands: 'read',
  },
  {
    names: 'base64 base32',
    flags: '-d -D -i< --decode --ignore-garbage -w= --wrap= -b= -o> --output>',
    operands: 'read',
  },
  {
    names: 'cut',
    flags: '-b= -c= -d= -f= --bytes= --characters= --delimiter= --fields= --output-delimiter= *',
    operands: 'read',
  },
  { names: 'paste', flags: '-d= --delimiters= *', operands: 'read' },
  { names: 'join', flags: '-1= -2= -a= -e= -j= -o= -t= -v= *', operands: 'read' },
  { names: 'comm', flags: '--output-delimiter= *', operands: 'read' },
  {
    names: 'column',
    flags: '-c= -s= -o= -N= -R= -W= -E= -O= -n= -r= -i= -p= --separator= --output-separator= --table-columns= *',
    operands: 'read',
  },
  { names: 'cmp', flags: '-i= -n= --ignore-initial= --bytes= *', operands: 'read read word' },
  {
    names: 'diff',
    flags:
      '-r+ --recursive+ --to-file< --from-file< -x= --exclude= -X< --exclude-from< -I= --ignore-matching-lines= -F= --show-function-line= -L= --label= -U= -C= -W= --unified? --context? --width= -D= --ifdef= -S= --starting-file= --horizon-lines= --tabsize= --color? --palette= -l! --paginate! *',
    operands: 'read',
  },
  {
    names: 'uniq',
    flags: '-f= -s= -w= --skip-fields= --skip-chars= --check-chars= --group? --all-repeated? *',
    operands: 'read write',
  },
  {
    names: 'sort',
    flags:
      '-k= -t= -S= -T= --key= --field-separator= --buffer-size= --temporary-directory= --parallel= --batch-size= --random-source< --sort= --check? -o> --output> --files0-from! --compress-program& *',
    operands: 'read',
  },

  // What searches.
  {
    names: 'grep egrep fgrep',
    flags:
      '-e=@ --regexp=@ -f<@ --file<@ -A= -B= -C= -m= -d= -D= --after-context= --before-context= --context= --max-count= --include= --exclude= --exclude-dir= --exclude-from< --label= --binary-files= --directories= --devices= --color? --colour? -r+ -R+ --recursive+ --dereference-recursive+ *',
    operands: 'word read',
  },
  {
    names: 'rg',
    flags:
      '-e=@ --regexp=@ -f<@ --file<@ --files@ --type-list@ -g= --glob= --iglob= -t= --type= -T= --type-not= --type-add= --type-clear= -A= -B= -C= --after-context= --before-context= --context= -m= --max-count= -M= --max-columns= -d= --max-depth= --maxdepth= --max-filesize= -j= --threads= -r= --replace= -E= --encoding= --color= --colors= --sort= --sortr= --path-separator= --context-separator= --field-match-separator= --field-context-separator= --dfa-size-limit= --regex-size-limit= --engine= --hyperlink-format= --ignore-file< --pre& --pre-glob= --hostname-bin& -z! --search-zip! *',
    operands: 'word tree',
    here: true,
  },

  // What lists.
  {
    names: 'ls dir vdir',
    flags:
      '-I= -w= -T= --ignore= --hide= --width= --tabsize= --block-size= --color? --format= --sort= --time= --time-style= --indicator-style= --quoting-style= -R+ --recursive+ *',
    operands: 'read',
    here: true,
  },
  {
    names: 'tree',
    flags:
      '-L= -P= -I= -o> -H= -T= --charset= --filelimit= --timefmt= --sort= --fromfile! --fromtabfile! --gitfile< --infofile< -R! *',
    operands: 'tree',
    here: true,
  },
  { names: 'stat', flags: '-c= -f? -t? --format= --printf= *', operands: 'read' },
  {
    names: 'file',
    flags:
      '-b -i -I -h -k -L -N -n -p -r -s -S -v -0 -E --brief --mime --mime-type --mime-encoding --dereference --keep-going -F= --separator= -e= --exclude= -m< --magic-file<',
    operands: 'read',
  },
  {
    names: 'du',
    flags:
      '-d= --max-depth= -t= --threshold= -B= --block-size= --exclude= -X< --exclude-from< --time? --time-style= --files0-from! *',
    operands: 'tree',
    here: true,
  },

  // What queries.
  {
    names: 'jq',
    flags:
      '-f<@ --from-file<@ -L= --library-path= --indent= --arg== --argjson== --slurpfile=< --rawfile=< --seq --stream *',
    operands: 'word read',
  },

  // What the shell does for itself.
  { names: 'cd pushd', flags: '-L -P -e -@ -n', operands: 'read' },
  { names: 'popd set shift return break continue exit wait', flags: '*', operands: 'word' },
];
