import type { Program } from './command-effect.ts';
import { type FlagGrammar, readArguments } from './read-arguments.ts';
import type { ShellWord } from './shell-word.ts';
import { notUnderstood } from './wrapper-program.ts';

const dockerFlags: FlagGrammar =
  '-c= --context= --config= -D --debug -H= --host= -l= --log-level= --tls --tlscacert= --tlscert= --tlskey= --tlsverify -f= --file= -p= --project-name= --project-directory= --profile= --env-file= --ansi= --compatibility --parallel= --progress= --url= --connection= --remote -v. --version. --help.';

const runFlags: FlagGrammar =
  '-i --interactive -t --tty -d --detach -P --publish-all -q --quiet --rm --init --privileged --read-only --no-healthcheck --oom-kill-disable --sig-proxy? --disable-content-trust? --no-deps --service-ports --use-aliases --build --remove-orphans -T --no-TTY -a= --attach= -c= --cpu-shares= -e= --env= --env-file= -h= --hostname= -l= --label= -m= --memory= -p= --publish= -u= --user= -v= --volume= -w= --workdir= --add-host= --blkio-weight= --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --cidfile= --cpu-period= --cpu-quota= --cpus= --cpuset-cpus= --cpuset-mems= --detach-keys= --device= --dns= --dns-option= --dns-search= --domainname= --entrypoint= --expose= --gpus= --group-add= --health-cmd= --health-interval= --health-retries= --health-timeout= --index= --ip= --ip6= --ipc= --isolation= --kernel-memory= --label-file= --link= --log-driver= --log-opt= --mac-address= --memory-reservation= --memory-swap= --mount= --name= --net= --network= --network-alias= --oom-score-adj= --pid= --pids-limit= --platform= --pull= --restart= --runtime= --security-opt= --shm-size= --stop-signal= --stop-timeout= --storage-opt= --sysctl= --tmpfs= --ulimit= --userns= --uts= --volume-driver= --volumes-from= --help.';

/** `docker exec` and `docker run`, those of `compose` and of podman: the command that runs in the container. */
export const docker: Program = (call) => {
  let given = readArguments(call.args, dockerFlags, true);
  if (given.options.some(({ marks }) => marks.includes('.'))) return {};
  let { operands } = given;
  if (/^(?:compose|container)$/.test(operands[0]?.value ?? '') && given.doubt === undefined) {
    given = readArguments(operands.slice(1), dockerFlags, true);
    operands = given.operands;
  }
  const [command, ...args] = operands;
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt);
  if (command?.value === undefined && command !== undefined)
    return notUnderstood(call, `${command.spelled} may be any command of it`);
  if (!/^(?:exec|run|create)$/.test(command?.value ?? '')) return {};
  const inner = readArguments(args, runFlags, true);
  if (inner.doubt !== undefined) return notUnderstood(call, inner.doubt, inner.operands.slice(1));
  const entry = inner.options.find(({ name }) => name === '--entrypoint')?.value;
  const words = [...(entry === undefined ? [] : [entry]), ...inner.operands.slice(1)];
  return words.length === 0 ? {} : { runs: [call.run(words)] };
};

const kubectlFlags: FlagGrammar =
  '-i --stdin -t --tty -q --quiet --rm --attach -n= --namespace= -c= --container= -f= --filename= --context= --kubeconfig= --cluster= --user= --as= --as-group= --token= -s= --server= --image= --restart= --env= --overrides= --override-type= --labels= -l= --port= --image-pull-policy= --pod-running-timeout= --request-timeout= --dry-run? --command --expose --insecure-skip-tls-verify? -v= --help.';

/** `kubectl exec pod -- command` and `kubectl run name --image x -- command`. */
export const kubectl: Program = (call) => {
  const end = call.args.findIndex(({ value }) => value === '--');
  const own = end < 0 ? call.args : call.args.slice(0, end);
  const runsSomething = own.some(({ value }) => value === undefined || /^(?:exec|run|debug)$/.test(value));
  if (!runsSomething)
    return own.some(({ value }) => value === 'plugin') ? notUnderstood(call, 'a plugin of it runs') : {};
  if (end >= 0) {
    const words = call.args.slice(end + 1);
    return words.length === 0 ? {} : { runs: [call.run(words)] };
  }
  const given = readArguments(call.args, kubectlFlags);
  if (given.doubt !== undefined) return notUnderstood(call, given.doubt);
  const words: readonly ShellWord[] = given.operands.slice(2);
  return words.length === 0 ? {} : { runs: [call.run(words)] };
};
