import { resolveSettings } from '@rondo/sdk';

const { effective, provenance } = await resolveSettings({
  cwd: '/path/to/project',
  settingSources: ['user', 'project', 'local'],
});

console.log(`Cleanup period: ${effective.cleanupPeriodDays} days`);
console.log(`Set by: ${provenance.cleanupPeriodDays?.source}`);
