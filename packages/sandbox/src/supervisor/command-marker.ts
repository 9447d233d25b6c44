import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { readEnvironment, readProcess } from './process-table.ts';

/** The variable by which a command's processes are found after they left its process group. */
export const markerVariable = 'RONDO_COMMAND';

let owner: string | undefined;

/**
 * What a command's marker variable is set to: who runs it, and an ID. A runtime inside a command of another runtime
 * adds its own marker to the one it was given, so that both find their processes.
 */
export function createMarker(inherited: string | undefined): { readonly id: string; readonly value: string } {
  const id = randomUUID();
  const value = `${ownerOfProcess()}:${id}`;
  return { id, value: inherited === undefined || inherited === '' ? value : `${inherited} ${value}` };
}

/** Names this process, as no other in its process namespace is ever named again. */
export function ownerOfProcess(): string {
  owner ??= `${processNamespace()}:${process.pid}:${readProcess('self')?.start ?? 0}`;
  return owner;
}

/** True where the process that is named so is known to have ended. */
export function isOwnerGone(named: string): boolean {
  const [namedNamespace, pid, start] = named.split(':');
  const namespace = processNamespace();
  if (namespace === '' || namedNamespace !== namespace) return false;
  return readProcess(Number(pid))?.start !== Number(start);
}

/**
 * True for a process of a command whose runtime is gone. A marker from another process namespace (a container) says
 * nothing here, since its process IDs are not ours.
 */
export function isOrphaned(pid: number): boolean {
  const environment = readEnvironment(pid)?.toString('latin1');
  const value = environment?.split('\0').find((variable) => variable.startsWith(`${markerVariable}=`));
  if (value === undefined) return false;
  return value
    .slice(markerVariable.length + 1)
    .split(' ')
    .every(isOwnerGone);
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '';
  }
}
