import type { JsonObject } from '@rondo/protocol';
import type { Form } from './form.ts';

/** The form as a JSON Schema, for editors. */
export function formSchema(form: Form): JsonObject {
  switch (form.is) {
    case 'text':
      return { type: 'string' };
    case 'pattern':
      return { type: 'string', format: 'regex' };
    case 'number':
      return { type: form.whole === true ? 'integer' : 'number', minimum: 0 };
    case 'boolean':
      return { type: 'boolean' };
    case 'true':
      return { const: true };
    case 'object':
      return { type: 'object' };
    case 'texts':
      return { type: 'object', additionalProperties: { type: 'string' } };
    case 'choice':
      return { enum: form.of };
    case 'list':
      return { type: 'array', items: formSchema(form.of) };
    case 'one of':
      return { anyOf: form.of.map(formSchema) };
    case 'keys': {
      const entries = Object.entries(form.keys);
      const required = entries.flatMap(([name, key]) => (key.required === true ? [name] : []));
      return {
        type: 'object',
        properties: Object.fromEntries(
          entries.map(([name, key]) => [name, { description: key.about, ...formSchema(key.form) }]),
        ),
        ...(required.length > 0 && { required }),
        additionalProperties: false,
      };
    }
  }
}
