import fc from 'fast-check';

// Property tests run the same cases every time: a run that fails is one that anybody can repeat. For others, set FC_SEED.
fc.configureGlobal({ seed: Number(process.env['FC_SEED'] ?? 20261130) });

export * from 'fast-check';
export { default } from 'fast-check';
