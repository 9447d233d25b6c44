import type { Form, ValueOf } from './form.ts';

// The format of a script, in one place: the check, the types, the JSON Schema of the package and the errors' nearest
// keys follow from it. `docs/guides/testing.md` tells it to people.

const text = { is: 'text' } as const;
const object = { is: 'object' } as const;
const headers = { is: 'texts' } as const;
const whole = { is: 'number', whole: true } as const;
const amount = { is: 'number' } as const;
const present = { is: 'true' } as const;
const texts = { is: 'one of', of: [text, { is: 'list', of: text }] } as const;

const matches = { form: { is: 'pattern' }, about: 'A regular expression that the text has to match.' } as const;

const heldText = { is: 'one of', of: [text, { is: 'keys', keys: { matches } }] } as const;

/** One text or several, each of which must be in what is looked at. */
const heldTexts = {
  is: 'one of',
  of: [text, { is: 'keys', keys: { matches } }, { is: 'list', of: heldText }],
} as const;

const heldResult = {
  is: 'one of',
  of: [
    text,
    {
      is: 'keys',
      keys: {
        matches,
        holds: { form: text, about: 'A text that the result has to hold.' },
        error: { form: { is: 'boolean' }, about: 'Whether the call failed.' },
      },
    },
  ],
} as const;

const usage = {
  is: 'keys',
  keys: {
    inputTokens: {
      form: whole,
      about: 'Tokens of the request that were neither read from the cache nor written to it.',
      required: true,
    },
    outputTokens: { form: whole, about: 'Tokens of the reply.', required: true },
    cacheReadInputTokens: { form: whole, about: 'Tokens that were read from the prompt cache.' },
    cacheCreationInputTokens: { form: whole, about: 'Tokens that were written to the prompt cache.' },
    cacheCreationOneHourInputTokens: { form: whole, about: 'Of those, what was written for an hour.' },
  },
} as const satisfies Form;

const price = {
  is: 'keys',
  keys: {
    input: { form: amount, about: 'US dollars a million tokens.', required: true },
    output: { form: amount, about: 'US dollars a million tokens.', required: true },
    cacheRead: { form: amount, about: 'US dollars a million tokens.' },
    cacheWrite: { form: amount, about: 'US dollars a million tokens.' },
    cacheWriteOneHour: { form: amount, about: 'US dollars a million tokens.' },
  },
} as const satisfies Form;

const point = {
  is: 'one of',
  of: [
    { is: 'choice', of: ['headers', 'first-tool-call'] },
    {
      is: 'keys',
      keys: {
        events: { form: whole, about: 'Behind that many events of the wire; in process, parts of the reply.' },
        halfEvent: { form: whole, about: 'Behind that many events and half of the next.' },
      },
    },
  ],
} as const satisfies Form;

const wireError = {
  is: 'keys',
  keys: {
    type: { form: text, about: "The vendor's name for it, such as overloaded_error.", required: true },
    message: { form: text, about: 'What the vendor says.', required: true },
  },
} as const satisfies Form;

const fault = {
  is: 'keys',
  keys: {
    cut: { form: point, about: 'The reply ends there, unfinished.' },
    how: {
      form: { is: 'choice', of: ['close', 'reset', 'end'] },
      about: 'Over HTTP: how the connection ends; close unless said.',
    },
    silence: { form: point, about: 'Nothing more comes from there on; the connection stays open.' },
    error: { form: wireError, about: 'An error inside the reply.' },
    after: { form: point, about: 'Where the error comes; behind the headers unless said.' },
    badJson: { form: whole, about: 'Sends the event of that number, from 0, with data that is no JSON.' },
  },
} as const satisfies Form;

const hold = {
  is: 'keys',
  keys: {
    until: {
      form: text,
      about: "A file: the reply goes on once it is there. A relative path is under the session's folder.",
      required: true,
    },
    after: { form: point, about: 'Where the reply waits; before it begins unless said.' },
  },
} as const satisfies Form;

const wire = {
  is: 'keys',
  keys: {
    bytesPerWrite: { form: whole, about: 'Writes that many bytes at a time.' },
    eventsPerWrite: { form: whole, about: 'Writes that many events at a time; 1 unless said.' },
    lineEnding: { form: { is: 'choice', of: ['\n', '\r\n', '\r'] }, about: 'What ends a line.' },
    comments: { form: { is: 'boolean' }, about: 'A comment line before every event.' },
    pings: { form: { is: 'boolean' }, about: 'A ping before every event.' },
  },
} as const satisfies Form;

const error = {
  is: 'keys',
  keys: {
    status: { form: whole, about: 'The HTTP status: 429, 529, …' },
    code: {
      form: text,
      about: 'The error as Rondo names it, such as model.overloaded; it follows from the status unless said.',
    },
    type: { form: text, about: "The vendor's name for it." },
    message: { form: text, about: 'What the vendor says.' },
    body: { form: text, about: 'Over HTTP: the whole body, in place of type and message.' },
    retryAfter: { form: amount, about: 'Seconds until it should be tried again.' },
    headers: { form: headers, about: 'Over HTTP: further headers.' },
  },
} as const satisfies Form;

/** What one block of a reply may say; which of them, `check-step.ts` knows. */
const blockKeys = {
  text: { form: texts, about: 'Text of the reply. A list comes as that many pieces.' },
  reasoning: { form: texts, about: 'Reasoning. A list comes as that many pieces.' },
  signature: { form: text, about: "The reasoning's signature; made up unless given." },
  call: { form: text, about: 'The name of the tool that is called.' },
  input: { form: object, about: "The call's input; empty unless given." },
  json: { form: text, about: "The call's input as the model writes it, in place of input, to be broken JSON." },
  id: { form: text, about: "The call's ID; call-1, call-2, … unless given." },
} as const;

const block = {
  is: 'keys',
  keys: {
    ...blockKeys,
    redacted: { form: text, about: 'Reasoning that the vendor sends encrypted.' },
    opaque: { form: object, about: 'A block as it stands on the wire, of a kind that nobody knows.' },
    provider: { form: text, about: 'Whose opaque block it is.' },
    deltas: { form: { is: 'list', of: object }, about: 'Over HTTP: the deltas of the opaque block.' },
  },
} as const satisfies Form;

const expectation = {
  is: 'keys',
  keys: {
    user: { form: heldTexts, about: 'What the last user message has to hold.' },
    system: { form: heldTexts, about: 'What the system prompt has to hold.' },
    results: {
      form: { is: 'list', of: heldResult },
      about: 'What the results of the last calls have to hold, one each, in order.',
    },
    tools: { form: { is: 'list', of: text }, about: 'Names of tools that have to be offered.' },
  },
} as const satisfies Form;

const messages = { is: 'list', of: object } as const;

const request = {
  is: 'keys',
  keys: {
    system: { form: text, about: 'The system prompt; absent where it is the same as above.' },
    tools: {
      form: { is: 'list', of: object },
      about: 'The tools as the model sees them; absent where they are the same as above.',
    },
    settings: {
      form: object,
      about:
        'Reasoning, effort, temperature, the most tokens of a reply and the schema of the answer; absent where they are the same as above.',
    },
    user: {
      form: { is: 'one of', of: [text, { is: 'list', of: { is: 'one of', of: [text, object] } }] },
      about: 'The last user message: texts and results.',
    },
    messages: { form: messages, about: 'The whole conversation, where it does not go on from the step above.' },
  },
} as const satisfies Form;

export const stepForm = {
  is: 'keys',
  keys: {
    conversation: { form: text, about: 'Which conversation of the file the step belongs to, where there are several.' },
    times: { form: whole, about: 'The step, that many times.' },
    expect: { form: expectation, about: 'What the request has to hold, or the step fails.' },
    request: { form: request, about: 'The request as it was recorded, compared as match says.' },
    asked: {
      form: text,
      about:
        "A file to which the request is added, a line of JSON, as soon as it has come. A relative path is under the session's folder.",
    },
    reply: {
      form: { is: 'list', of: block },
      about: 'The blocks of the reply, where it is more than reasoning, text and one call.',
    },
    ...blockKeys,
    stop: { form: text, about: 'Why the model stops; tool_use after a call, else end_turn, unless said.' },
    stopDetails: { form: object, about: 'What the vendor adds to that.' },
    usage: { form: usage, about: 'What the reply used.' },
    model: { form: text, about: 'The model that the reply names.' },
    headers: { form: headers, about: 'Over HTTP: headers of the reply.' },
    wire: { form: wire, about: 'Over HTTP: how the bytes of the reply are cut and dressed.' },
    hold: { form: hold, about: 'The reply waits for a file.' },
    fault: { form: fault, about: 'What goes wrong within the reply.' },
    error: { form: error, about: 'An error in place of a reply.' },
    reset: { form: present, about: 'The connection is reset before any answer.' },
    mute: { form: present, about: 'The request is taken and never answered.' },
    interrupted: {
      form: present,
      about: 'Recorded: somebody stopped the reply; what it had said by then is the reply.',
    },
  },
} as const satisfies Form;

export const scriptForm = {
  is: 'keys',
  keys: {
    version: { form: { is: 'choice', of: [1] }, about: 'The version of this format: 1.', required: true },
    recorded: {
      form: { is: 'keys', keys: { model: { form: text, about: 'The model that answered.', required: true } } },
      about: 'Written by rondo --record.',
    },
    order: {
      form: { is: 'choice', of: ['conversation', 'once', 'cycle'] },
      about:
        'conversation, unless said: every session is answered from where its conversation stands, also in another process. once: a step a request, whoever asks. cycle: the same, from the beginning again.',
    },
    unused: {
      form: { is: 'choice', of: ['ignore', 'error'] },
      about: 'error: a run that leaves steps unused fails at its end. ignore, unless said.',
    },
    match: {
      form: { is: 'choice', of: ['all', 'prompts', 'none'] },
      about:
        'What of a recorded request has to be the same: all of it, unless said; the system prompt and what the user said; nothing.',
    },
    ignore: {
      form: { is: 'list', of: { is: 'pattern' } },
      about: 'Regular expressions; what matches them, in a line, counts as the same.',
    },
    limits: {
      form: {
        is: 'keys',
        keys: {
          contextWindow: { form: whole, about: 'Tokens.' },
          maxOutputTokens: { form: whole, about: 'Tokens.' },
        },
      },
      about: 'What the model can take.',
    },
    input: { form: object, about: 'What the model takes beside text: images, documents and their limits.' },
    price: { form: price, about: 'What the model costs; nothing is known unless said.' },
    usage: { form: usage, about: 'What a reply used that says nothing about it: 10 tokens in and 5 out, unless said.' },
    steps: { form: { is: 'list', of: stepForm }, about: 'What the model does, a step a request.', required: true },
  },
} as const satisfies Form;

export type ScriptFile = ValueOf<typeof scriptForm>;
export type ScriptStep = ValueOf<typeof stepForm>;
export type ScriptBlock = ValueOf<typeof block>;
export type ScriptError = ValueOf<typeof error>;
export type ScriptFault = ValueOf<typeof fault>;
export type ScriptPoint = ValueOf<typeof point>;
export type RequestExpectation = ValueOf<typeof expectation>;
export type HeldTexts = ValueOf<typeof heldTexts>;
export type RecordedRequestForm = ValueOf<typeof request>;
export type MatchLevel = NonNullable<ScriptFile['match']>;
