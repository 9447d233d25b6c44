/** Variables that hold a model provider's key or token, whatever else is called like them. */
const providerSecret =
  /^(ANTHROPIC|CLAUDE_CODE|OPENAI|AZURE_OPENAI|MISTRAL|GOOGLE|GEMINI|OPENROUTER|GROQ|DEEPSEEK|XAI|COHERE|TOGETHER|FIREWORKS|PERPLEXITY|CEREBRAS|HUGGINGFACE|HF)_(\w+_)?(API_KEY|AUTH_TOKEN|OAUTH_TOKEN|ACCESS_TOKEN|TOKEN)$/;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What commands of tools may see: everything but the keys that pay for the model. */
export function commandEnvironment(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !providerSecret.test(name)) kept[name] = value;
  }
  return kept;
}

/** The keys themselves, so that nothing stored or shown holds one. Short values are words, not keys. */
export function providerSecrets(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= 8 && providerSecret.test(name) ? [value] : [],
  );
}
