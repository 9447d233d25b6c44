/** Variables that hold a model provider's key or token, whatever else is called like them. */
const providerSecret =
  /^(ANTHROPIC|CLAUDE_CODE|OPENAI|AZURE_OPENAI|MISTRAL|CODESTRAL|GOOGLE|GEMINI|OPENROUTER|GROQ|DEEPSEEK|XAI|COHERE|CO|TOGETHER|FIREWORKS|PERPLEXITY|PPLX|CEREBRAS|HUGGINGFACE|HUGGING_FACE|HF|NVIDIA|MOONSHOT|DASHSCOPE|ZAI|ZHIPUAI|MINIMAX|VOYAGE|REPLICATE|SAMBANOVA)_(\w+_)?(API_KEY|ADMIN_KEY|TOKEN)$|^AWS_BEARER_TOKEN_BEDROCK$|^ANTHROPIC_CUSTOM_HEADERS$/;
/** A server's address that a password stands in, as a gateway may want it. */
const serverAddress = /_(BASE_URL|ENDPOINT)$/;
const passwordInUrl = /^\w+:\/\/[^/?#]*:[^/?#]*@/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What commands of tools may see: everything but the keys that pay for the model. */
export function commandEnvironment(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isSecret(name, value)) kept[name] = value;
  }
  return kept;
}

/** The keys themselves, so that nothing stored or shown holds one. Short values are words, not keys. */
export function providerSecrets(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    // As a file or a copy may end it with a line break that the key itself has not.
    value !== undefined && value.trim().length >= 8 && providerSecret.test(name) ? [value.trim()] : [],
  );
}

function isSecret(name: string, value: string): boolean {
  return providerSecret.test(name) || (serverAddress.test(name) && passwordInUrl.test(value));
}
