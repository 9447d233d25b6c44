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
  owner ??= `${processNamespace()}:${process.pid}:${readProcess('self')?.start ?? 0}`;
  const id = randomUUID();
  const value = `${owner}:${id}`;
  return { id, value: inherited === undefined || inherited === '' ? value : `${inherited} ${value}` };
}

/**
 * True for a process of a command whose runtime is gone. A marker from another process namespace (a container) says
 * nothing here, since its process IDs are not ours.
 */
export function isOrphaned(pid: number): boolean {
  const environment = readEnvironment(pid)?.toString('latin1');
  const value = environment?.split('\0').find((variable) => variable.startsWith(`${markerVariable}=`));
  if (value === undefined) return false;
  const namespace = processNamespace();
  return value
    .slice(markerVariable.length + 1)
    .split(' ')
    .every((marker) => {
      const [markedNamespace, ownerPid, ownerStart] = marker.split(':');
      if (namespace === '' || markedNamespace !== namespace) return false;
      return readProcess(Number(ownerPid))?.start !== Number(ownerStart);
    });
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replace(/\D/g, '');
  } catch {
    return '';
  }
}
