/** Variables that hold a model provider's key or token, whatever else is called like them. */
const providerSecret =
  /^(ANTHROPIC|CLAUDE_CODE|OPENAI|AZURE_OPENAI|MISTRAL|CODESTRAL|GOOGLE|GEMINI|OPENROUTER|GROQ|DEEPSEEK|XAI|COHERE|CO|TOGETHER|FIREWORKS|PERPLEXITY|PPLX|CEREBRAS|HUGGINGFACE|HUGGING_FACE|HF|NVIDIA|MOONSHOT|DASHSCOPE|ZAI|ZHIPUAI|MINIMAX|VOYAGE|REPLICATE|SAMBANOVA|OLLAMA|LMSTUDIO|LM|LM_STUDIO|VLLM|LLAMA|LLAMA_CPP|OPENAI_COMPATIBLE|AI_GATEWAY|AI21|DEEPINFRA|NOVITA|HYPERBOLIC|NEBIUS|UPSTAGE|BASETEN|SILICONFLOW|KIMI|QWEN|VENICE|REQUESTY|CHUTES|FRIENDLI|ANYSCALE|LITELLM)_(\w+_)?(API_KEY|ADMIN_KEY|TOKEN)$|^AWS_BEARER_TOKEN_BEDROCK$|^ANTHROPIC_CUSTOM_HEADERS$|^CLAUDE_CODE_CLIENT_KEY_PASSPHRASE$/;
/** A server's address that a password stands in, as a gateway may want it. */
const serverAddress = /_(BASE_URL|ENDPOINT)$/;
const passwordInUrl = /^\w+:\/\/[^/?#]*:[^/?#]*@/;

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What commands of tools may see: everything but the keys that pay for the model. `keyVariables` are those that settings
 * name for keys, whatever they are called.
 */
export function commandEnvironment(env: Environment, keyVariables: readonly string[] = []): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isSecret(name, value) && !keyVariables.includes(name)) kept[name] = value;
  }
  return kept;
}

/**
 * With settings that git takes from variables behind those that are there already, which stay: a person's own, such as a
 * folder that is safe. Of two with one name git takes the later.
 */
export function withGitSettings(
  env: Readonly<Record<string, string>>,
  git: Readonly<Record<string, string>>,
): Record<string, string> {
  const [own, added] = [env, git].map(({ GIT_CONFIG_COUNT: count = '' }) =>
    /^\d{1,4}$/.test(count) ? Number(count) : 0,
  );
  if (own === undefined || added === undefined || own === 0 || added === 0) return { ...env, ...git };
  const moved = Object.entries(git).map(([name, value]) => [
    name.replace(/^(GIT_CONFIG_(?:KEY|VALUE)_)(\d+)$/, (_, head: string, at: string) => `${head}${Number(at) + own}`),
    value,
  ]);
  return { ...env, ...Object.fromEntries(moved), GIT_CONFIG_COUNT: String(own + added) };
}

/** The keys themselves, so that nothing stored or shown holds one. Short values are words, not keys. */
export function providerSecrets(env: Environment, keyVariables: readonly string[] = []): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const holdsKey = providerSecret.test(name) || keyVariables.includes(name);
    // As a file or a copy may end it with a line break that the key itself has not.
    return value !== undefined && value.trim().length >= 8 && holdsKey ? [value.trim()] : [];
  });
}

function isSecret(name: string, value: string): boolean {
  return providerSecret.test(name) || (serverAddress.test(name) && passwordInUrl.test(value));
}
