import type { Call, Program } from './command-effect.ts';
import { type Arguments, type FlagGrammar, readArguments } from './read-arguments.ts';
import { optionPaths } from './row-program.ts';
import type { ShellPath } from './shell-line.ts';
import { plainWord, wordBehind } from './shell-word.ts';
import { notUnderstood } from './wrapper-program.ts';

const curlFlags: FlagGrammar =
  '-o> --output> --output-dir>+ -D> --dump-header> -c> --cookie-jar> --trace> --trace-ascii> --stderr> --libcurl> --etag-save> --hsts> --alt-svc> -T< --upload-file< -K< --config< -E< --cert< --key< --cacert< --etag-compare< --netrc-file< -b= -d= -F= -H= -X= -A= -e= -u= -U= -x= -m= -r= -w= -y= -Y= -z= -C= -Q= -t= -P= -h? --data= --data-ascii= --data-raw= --data-binary= --data-urlencode= --json= --form= --form-string= --header= --request= --user-agent= --referer= --user= --proxy= --max-time= --connect-timeout= --retry= --retry-delay= --retry-max-time= --range= --write-out= --cookie= --url= --resolve= --connect-to= --interface= --limit-rate= --max-redirs= --proto= --proto-default= --socks5= --unix-socket= --abstract-unix-socket= *';

const wgetFlags: FlagGrammar =
  '-O> --output-document> -o> --output-file> -a> --append-output> -P>+ --directory-prefix>+ --save-cookies> --hsts-file> -i< --input-file< --post-file< --body-file< --load-cookies< --config< --certificate< --private-key< --ca-certificate< -e! --execute! --use-askpass! -t= --tries= -T= --timeout= -w= --wait= -U= --user-agent= --header= --post-data= --body-data= --method= --user= --password= -A= -R= -D= -I= -X= -l= --level= -Q= --limit-rate= *';

const here = plainWord('.');

/** `curl`: writes where flags say, and sends files that flags name, some of them behind an `@`. */
export const curl: Program = (call) => {
  const given = readArguments(call.args, curlFlags);
  const saves = given.options.some(({ name }) =>
    /^(?:-O|--remote-name|--remote-name-all|-J|--remote-header-name)$/.test(name),
  );
  const paths = [...optionPaths(call, given), ...sentFiles(call, given), ...fileUrls(call, given)];
  if (saves) paths.push(...call.open('write', here, true));
  return {
    paths,
    ...(given.options.some(({ name }) => /^(?:-K|--config)$/.test(name))
      ? { opaque: 'curl takes flags from a file' }
      : {}),
  };
};

/** `wget` writes into the folder where it is, unless a flag says where. */
export const wget: Program = (call) => {
  const given = readArguments(call.args, wgetFlags);
  const refused = given.options.find(({ marks }) => marks.includes('!'));
  const isTold = given.options.some(({ name }) =>
    /^(?:-O|--output-document|-P|--directory-prefix|--spider)$/.test(name),
  );
  const paths = [
    ...optionPaths(call, given),
    ...fileUrls(call, given),
    ...(isTold ? [] : call.open('write', here, true)),
  ];
  return refused === undefined
    ? { paths }
    : { ...notUnderstood(call, `${refused.name} may change what it does`), paths };
};

function fileUrls(call: Call, { operands, options }: Arguments): readonly ShellPath[] {
  const urls = [
    ...operands,
    ...options.flatMap(({ name, value }) => (name === '--url' && value !== undefined ? [value] : [])),
  ];
  return urls.flatMap((url) => (/^(?:file:|\{)/i.test(url.prefix) ? call.open('read', url, true) : []));
}

/** `-d @file`, `-F name=@file`, `--data-urlencode name@file`. */
function sentFiles(call: Call, { options }: Arguments): readonly ShellPath[] {
  return options.flatMap(({ name, value }) => {
    if (value === undefined || !/^(?:-d|-F|-H|-b|--data.*|--json|--form|--header|--cookie|--url-query)$/.test(name))
      return [];
    const at =
      name === '-b' || name === '--cookie' ? (value.prefix.includes('=') ? -1 : 0) : atSign(value.prefix, name);
    if (at < 0) return [];
    const file = wordBehind(value, at);
    return call.open('read', file.value === undefined ? file : plainWord(file.spelled.replace(/[;,].*$/s, '')));
  });
}

function atSign(text: string, name: string): number {
  if (/^[@<]/.test(text)) return 1;
  const found =
    name === '-F' || name === '--form'
      ? /=[@<]/.exec(text)
      : name === '--data-urlencode'
        ? /^[^=@]*@/.exec(text)
        : null;
  return found === null ? -1 : found.index + found[0].length;
}
