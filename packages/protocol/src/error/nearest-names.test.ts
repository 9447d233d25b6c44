import { expect, test } from 'vitest';
import { nearestNames } from './nearest-names.ts';

test('names that are near, nearest first, whatever their case', () => {
  expect(nearestNames('Modle', ['mode', 'model', 'tools'])).toEqual(['mode', 'model']);
  expect(nearestNames('shwo', ['list', 'show'], 1)).toEqual(['show']);
});

test('a name that is near none has none', () => {
  expect(nearestNames('frobnicate', ['model', 'tools'])).toEqual([]);
});
