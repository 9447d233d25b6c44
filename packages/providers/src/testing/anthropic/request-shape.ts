import { isText, isWire, namePattern } from '../request-guards.ts';
import {
  anyObject,
  anything,
  anyText,
  byType,
  exact,
  listOf,
  matching,
  oneOf,
  orNull,
  textOr,
  trueOrFalse,
  wholeNumber,
  type Shape,
} from '../shape.ts';
import { anthropicSchema } from '../output-schema.ts';

/**
 * What the Messages API takes, written down from its public reference: every field of every block by name, so that
 * one it does not know is refused as the API refuses it. Rules over several fields or blocks stand beside it.
 */
const kind = anyText;
const words: Shape = (value, place) =>
  isText(value) ? undefined : `${place}: text blocks must contain more than white space`;
const fraction: Shape = (value, place) =>
  typeof value === 'number' && value >= 0 && value <= 1 ? undefined : `${place}: must be a number from 0 to 1`;
const base64 = matching(/^[A-Za-z0-9+/]+={0,2}$/);
const id = matching(/^[a-zA-Z0-9_-]+$/);
const toolName = matching(namePattern);
const mayBeText = orNull(anyText);
const mayBeCount = orNull(wholeNumber());

const mark = {
  cache_control: orNull(exact({ type: oneOf('ephemeral') }, { ttl: oneOf('5m', '1h') })),
};
const citationSwitch = exact({}, { enabled: trueOrFalse });

const documentPlace = { type: kind, cited_text: anyText, document_index: wholeNumber(), document_title: mayBeText };
const citation = byType({
  char_location: exact({ ...documentPlace, start_char_index: wholeNumber(), end_char_index: wholeNumber() }),
  page_location: exact({ ...documentPlace, start_page_number: wholeNumber(), end_page_number: wholeNumber() }),
  content_block_location: exact({
    ...documentPlace,
    start_block_index: wholeNumber(),
    end_block_index: wholeNumber(),
  }),
  web_search_result_location: exact({
    type: kind,
    cited_text: anyText,
    encrypted_index: anyText,
    title: mayBeText,
    url: anyText,
  }),
  search_result_location: exact({
    type: kind,
    cited_text: anyText,
    search_result_index: wholeNumber(),
    source: anyText,
    start_block_index: wholeNumber(),
    end_block_index: wholeNumber(),
    title: mayBeText,
  }),
});

const text = exact({ type: kind, text: words }, { ...mark, citations: orNull(listOf(citation)) });
const texts = listOf(byType({ text }));

const file = exact({ type: kind, file_id: anyText });
const url = exact({ type: kind, url: words });
const image = exact(
  {
    type: kind,
    source: byType({
      base64: exact({
        type: kind,
        media_type: oneOf('image/jpeg', 'image/png', 'image/gif', 'image/webp'),
        data: base64,
      }),
      url,
      file,
    }),
  },
  { ...mark, transformations: orNull(exact({}, { oversized_image: oneOf('downsize', 'error') })) },
);
const document = exact(
  {
    type: kind,
    source: byType({
      base64: exact({ type: kind, media_type: oneOf('application/pdf'), data: base64 }),
      text: exact({ type: kind, media_type: oneOf('text/plain'), data: words }),
      content: exact({ type: kind, content: textOr(listOf(byType({ text, image }))) }),
      url,
      file,
    }),
  },
  { ...mark, citations: orNull(citationSwitch), context: mayBeText, title: orNull(matching(/^[^]{1,500}$/)) },
);
const searchResult = exact(
  { type: kind, source: anyText, title: anyText, content: texts },
  { ...mark, citations: citationSwitch },
);
const toolReference = exact({ type: kind, tool_name: anyText }, mark);

const toolResult = exact(
  { type: kind, tool_use_id: id },
  {
    ...mark,
    content: textOr(
      listOf(byType({ text, image, document, search_result: searchResult, tool_reference: toolReference })),
    ),
    is_error: trueOrFalse,
    toolset_name: mayBeText,
  },
);

const userBlock = byType({
  text,
  image,
  document,
  search_result: searchResult,
  tool_result: toolResult,
  container_upload: exact({ type: kind, file_id: anyText }, mark),
});

const caller = byType({
  direct: exact({ type: kind }),
  code_execution_20250825: exact({ type: kind, tool_id: anyText }),
  code_execution_20260120: exact({ type: kind, tool_id: anyText }),
});

/** The result of a tool on the vendor's side: an error, or one of these. */
function serverResult(errorType: string, contents: Readonly<Record<string, Shape>>, more = {}): Shape {
  const error = exact({ type: kind, error_code: anyText }, { error_message: mayBeText });
  return exact(
    { type: kind, tool_use_id: id, content: byType({ ...contents, [errorType]: error }) },
    { ...mark, ...more },
  );
}

function executionResult(outputType: string): Shape {
  const output = listOf(byType({ [outputType]: exact({ type: kind, file_id: anyText }) }));
  return exact({ type: kind, content: output, return_code: anything, stderr: anyText, stdout: anyText });
}

const webSearchResults = listOf(
  byType({
    web_search_result: exact(
      { type: kind, url: anyText, title: anyText, encrypted_content: anyText },
      { page_age: mayBeText },
    ),
  }),
);
const webSearchError = exact({ type: kind, error_code: anyText });
const encryptedExecution = exact({
  type: kind,
  content: listOf(byType({ code_execution_output: exact({ type: kind, file_id: anyText }) })),
  encrypted_stdout: anyText,
  return_code: anything,
  stderr: anyText,
});
const replacedLines = {
  lines: orNull(listOf(anyText)),
  new_lines: mayBeCount,
  new_start: mayBeCount,
  old_lines: mayBeCount,
  old_start: mayBeCount,
};

const assistantBlocks: Readonly<Record<string, Shape>> = {
  text,
  thinking: exact({ type: kind, thinking: anyText, signature: anyText }),
  redacted_thinking: exact({ type: kind, data: anyText }),
  tool_use: exact({ type: kind, id, name: toolName, input: anyObject }, { ...mark, caller, toolset_name: mayBeText }),
  server_tool_use: exact(
    {
      type: kind,
      id,
      name: oneOf(
        'web_search',
        'web_fetch',
        'code_execution',
        'bash_code_execution',
        'text_editor_code_execution',
        'tool_search_tool_regex',
        'tool_search_tool_bm25',
      ),
      input: anyObject,
    },
    { ...mark, caller },
  ),
  web_search_tool_result: exact(
    {
      type: kind,
      tool_use_id: id,
      content: (value, place) => (Array.isArray(value) ? webSearchResults : webSearchError)(value, place),
    },
    { ...mark, caller },
  ),
  web_fetch_tool_result: serverResult(
    'web_fetch_tool_result_error',
    { web_fetch_result: exact({ type: kind, url: anyText, content: document }, { retrieved_at: mayBeText }) },
    { caller },
  ),
  code_execution_tool_result: serverResult('code_execution_tool_result_error', {
    code_execution_result: executionResult('code_execution_output'),
    encrypted_code_execution_result: encryptedExecution,
  }),
  bash_code_execution_tool_result: serverResult('bash_code_execution_tool_result_error', {
    bash_code_execution_result: executionResult('bash_code_execution_output'),
  }),
  text_editor_code_execution_tool_result: serverResult('text_editor_code_execution_tool_result_error', {
    text_editor_code_execution_view_result: exact(
      { type: kind, content: anyText, file_type: oneOf('text', 'image', 'pdf') },
      { num_lines: mayBeCount, start_line: mayBeCount, total_lines: mayBeCount },
    ),
    text_editor_code_execution_create_result: exact({ type: kind, is_file_update: trueOrFalse }),
    text_editor_code_execution_str_replace_result: exact({ type: kind }, replacedLines),
  }),
  tool_search_tool_result: serverResult('tool_search_tool_result_error', {
    tool_search_tool_search_result: exact({
      type: kind,
      tool_references: listOf(byType({ tool_reference: toolReference })),
    }),
  }),
  container_upload: exact({ type: kind, file_id: anyText }, mark),
};

/** Blocks that the API takes with the header of their beta only. */
const betaBlocks: Readonly<Record<string, { readonly beta: string; readonly shape: Shape }>> = {
  mcp_tool_use: {
    beta: 'mcp-client-',
    shape: exact({ type: kind, id, name: anyText, server_name: anyText, input: anyObject }, mark),
  },
  mcp_tool_result: {
    beta: 'mcp-client-',
    shape: exact({ type: kind, tool_use_id: id }, { ...mark, content: textOr(texts), is_error: trueOrFalse }),
  },
  compaction: {
    beta: 'compact-',
    shape: exact({ type: kind }, { ...mark, content: mayBeText, encrypted_content: mayBeText, signature: mayBeText }),
  },
};

function assistantBlock(betas: readonly string[]): Shape {
  const allowed = Object.entries(betaBlocks).filter(([, { beta }]) => betas.some((name) => name.startsWith(beta)));
  return byType({ ...assistantBlocks, ...Object.fromEntries(allowed.map(([type, { shape }]) => [type, shape])) });
}

function message(betas: readonly string[]): Shape {
  const shapes: Readonly<Record<string, Shape>> = {
    user: exact({ role: kind, content: textOr(listOf(userBlock)) }),
    assistant: exact({ role: kind, content: textOr(listOf(assistantBlock(betas))) }),
  };
  return (value, place) => {
    if (!isWire(value)) return `${place}: must be an object`;
    const { role } = value;
    const shape = typeof role === 'string' && Object.hasOwn(shapes, role) ? shapes[role] : undefined;
    return shape === undefined
      ? `${place}.role: ${JSON.stringify(role)} is neither user nor assistant`
      : shape(value, place);
  };
}

const everyTool = {
  ...mark,
  allowed_callers: listOf(anyText),
  defer_loading: trueOrFalse,
  strict: trueOrFalse,
};
const customTool = exact(
  { name: toolName, input_schema: anyObject },
  {
    ...everyTool,
    type: oneOf('custom', null),
    description: anyText,
    eager_input_streaming: orNull(trueOrFalse),
    input_examples: listOf(anyObject),
  },
);
const domains = { allowed_domains: orNull(listOf(anyText)), blocked_domains: orNull(listOf(anyText)) };
const serverTools: readonly (readonly [RegExp, Shape])[] = [
  [
    /^web_search_\d{8}$/,
    exact(
      { type: kind, name: oneOf('web_search') },
      {
        ...everyTool,
        ...domains,
        max_uses: mayBeCount,
        response_inclusion: oneOf('full', 'excluded'),
        user_location: orNull(anyObject),
      },
    ),
  ],
  [
    /^web_fetch_\d{8}$/,
    exact(
      { type: kind, name: oneOf('web_fetch') },
      {
        ...everyTool,
        ...domains,
        citations: orNull(citationSwitch),
        max_content_tokens: mayBeCount,
        max_uses: mayBeCount,
        response_inclusion: oneOf('full', 'excluded'),
        url_sources: orNull(anyObject),
        use_cache: trueOrFalse,
      },
    ),
  ],
  [/^code_execution_\d{8}$/, exact({ type: kind, name: oneOf('code_execution') }, everyTool)],
  [
    /^tool_search_tool_(regex|bm25)(_\d{8})?$/,
    exact({ type: kind, name: oneOf('tool_search_tool_regex', 'tool_search_tool_bm25') }, everyTool),
  ],
];

const tool: Shape = (value, place) => {
  const type = isWire(value) ? value['type'] : undefined;
  if (typeof type !== 'string' || type === 'custom') return customTool(value, place);
  const known = serverTools.find(([pattern]) => pattern.test(type));
  return known === undefined ? `${place}.type: there is no tool of the type ${type}` : known[1](value, place);
};

const display = { display: oneOf('summarized', 'omitted', null) };
/** What becomes of thinking that does not fit any more may be said with the header of its beta only. */
function thinkingShape(betas: readonly string[]): Shape {
  const controls = betas.some((name) => name.startsWith('thinking-binding-controls-'));
  const binding = { block_binding: orNull(exact({}, { prefix_mismatch_behavior: oneOf('error', 'drop_block') })) };
  const more = { ...display, ...(controls && binding) };
  return byType({
    enabled: exact({ type: kind, budget_tokens: wholeNumber(1024) }, more),
    adaptive: exact({ type: kind }, more),
    between_tools: exact({ type: kind }),
    disabled: exact({ type: kind }),
  });
}
const parallel = { disable_parallel_tool_use: trueOrFalse };
const model = matching(/./);

/** Fields of a request whose tokens are only counted. */
const counted = (betas: readonly string[]) => ({
  ...mark,
  output_config: exact(
    {},
    {
      effort: oneOf('low', 'medium', 'high', 'xhigh', 'max', null),
      format: orNull(exact({ type: oneOf('json_schema'), schema: anthropicSchema })),
      // With the header of its beta only.
      ...(betas.some((name) => name.startsWith('task-budgets-')) && {
        task_budget: orNull(
          exact({ type: oneOf('tokens'), total: wholeNumber(20_000) }, { remaining: orNull(wholeNumber()) }),
        ),
      }),
    },
  ),
  speed: oneOf('standard', 'fast', null),
  system: textOr(texts),
  tool_choice: byType({
    auto: exact({ type: kind }, parallel),
    any: exact({ type: kind }, parallel),
    tool: exact({ type: kind, name: anyText }, parallel),
    none: exact({ type: kind }),
  }),
  tools: listOf(tool),
});

/** The body of `POST /v1/messages/count_tokens`. */
export function countTokensShape(betas: readonly string[]): Shape {
  return exact({ model, messages: listOf(message(betas)) }, { ...counted(betas), thinking: thinkingShape(betas) });
}

/** The body of `POST /v1/messages`. */
export function messagesShape(betas: readonly string[]): Shape {
  return exact(
    { model, max_tokens: wholeNumber(1), messages: listOf(message(betas)) },
    {
      ...counted(betas),
      thinking: thinkingShape(betas),
      container: orNull(textOr(exact({}, { id: mayBeText, skills: orNull(listOf(anyObject)) }))),
      inference_geo: mayBeText,
      metadata: exact({}, { user_id: orNull(matching(/^[^]{1,256}$/)) }),
      service_tier: oneOf('auto', 'standard_only'),
      stop_sequences: listOf(words),
      stream: trueOrFalse,
      temperature: fraction,
    },
  );
}
