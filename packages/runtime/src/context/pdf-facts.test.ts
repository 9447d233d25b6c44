import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { pdfFacts } from './pdf-facts.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const head = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';
const page = (id: number): string =>
  `${id} 0 obj\n<< /Type /Page /Parent 2 0 R /Resources << /Font << >> >> >>\nendobj\n`;
const pages = (count: number): string => Array.from({ length: count }, (_, index) => page(index + 10)).join('');
const root = (count: number): string =>
  `2 0 obj\n<</Kids [10 0 R 11 0 R] /Resources <</ProcSet [/PDF]>> /Type/Pages /Count ${count}>>\nendobj\n`;
const outlines = '5 0 obj\n<< /Type /Outlines /Count 9999 >>\nendobj\n';

function objectStream(objects: string, length: (real: number) => string = String): string {
  const packed = deflateSync(bytes(objects)).toString('latin1');
  return `7 0 obj\n<< /Type /ObjStm /N 3 /First 20 /Filter /FlateDecode /Length ${length(packed.length)} >>\nstream\r\n${packed}\nendstream\nendobj\n`;
}

describe('what a PDF says of itself', () => {
  test.each([
    ['its page tree', head + outlines + pages(2) + root(700), 700],
    ['an inner node and the root', head + root(12) + root(40), 40],
    [
      'its pages, where their number is said by reference',
      `${head}${pages(3)}2 0 obj <</Type /Pages /Count 8 0 R>> endobj`,
      3,
    ],
    ['its first object, when made for the web', `${head}1 0 obj <</Linearized 1 /L 999 /N 77 /T 12>> endobj\n`, 77],
    ['a compressed tree', head + objectStream(`10 0 <</Type/Catalog>> ${root(321)}`), 321],
    ['a compressed tree of a length by reference', head + objectStream(root(55), () => '9 0 R'), 55],
    ['a compressed tree of a wrong length', head + objectStream(root(55), (real) => String(real + 9)), 55],
    ['nothing that can be read cheaply', `${head}trailer <</Root 1 0 R>>`, undefined],
    ['a stream that is broken', head + objectStream(root(5)).replace(/stream\r\n.{3}/s, 'stream\r\nxxx'), undefined],
  ])('its pages, by %s', async (_, text, expected) => {
    expect(await pdfFacts(bytes(text))).toEqual({ pages: expected, encrypted: false });
  });

  test('whether it is encrypted', async () => {
    expect(await pdfFacts(bytes(`${head}${root(1)}trailer <</Encrypt 9 0 R /Root 1 0 R>>`))).toMatchObject({
      encrypted: true,
    });
  });

  test('nothing, when it is none', async () => {
    expect(await pdfFacts(bytes('<html>%PDF</html>'))).toBeUndefined();
    expect(await pdfFacts(bytes(`${' '.repeat(2000)}%PDF-1.7`))).toBeUndefined();
    expect(await pdfFacts(new Uint8Array())).toBeUndefined();
  });

  test('in bounded time and memory, whatever it holds', async () => {
    const bomb = objectStream(`${' '.repeat(20 * 1024 * 1024)}${root(3)}`);
    expect(await pdfFacts(bytes(head + bomb))).toMatchObject({ pages: undefined });
    const nested = `${head}${'<<'.repeat(300_000)}/Type /Pages /Count 5`;
    expect(await pdfFacts(bytes(nested))).toMatchObject({ encrypted: false });
    const many = `${head}${'/Type /Pages '.repeat(20_000)}`;
    expect(await pdfFacts(bytes(many))).toMatchObject({ pages: undefined });
  });
});
