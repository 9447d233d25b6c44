import { startup } from '@rondo/sdk';

const warm = await startup({ options: { maxTurns: 3 } });

for await (const message of warm.query('What files are here?')) {
  console.log(message);
}
