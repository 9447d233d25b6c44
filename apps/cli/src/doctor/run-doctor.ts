import { RondoError } from '@rondo/protocol/values';
import type { CommandContext } from '../command/command-context.ts';
import type { DoctorValues } from '../command/flag-tables.ts';
import { print } from '../process/print.ts';
import { createPainter } from '../terminal/painter.ts';
import { doctorText } from './doctor-text.ts';
import { examine } from './examine.ts';

/** `rondo doctor`: what works and what is enforced in this folder on this machine, with the way on for what is not. */
export async function runDoctor(
  values: DoctorValues,
  positionals: readonly string[],
  { redact }: Pick<CommandContext, 'redact'>,
): Promise<number> {
  if (positionals[0] !== undefined) throw new RondoError('input.invalid', `rondo doctor takes no "${positionals[0]}".`);
  const findings = await examine({ cwd: process.cwd(), env: process.env });
  const width = process.stdout.isTTY ? process.stdout.columns || 80 : 120;
  await print(
    redact(
      values.json
        ? `${JSON.stringify(findings, null, 2)}\n`
        : doctorText(findings, { width, paint: createPainter(process.stdout) }),
    ),
  );
  return findings.some(({ state }) => state === 'problem') ? 1 : 0;
}
