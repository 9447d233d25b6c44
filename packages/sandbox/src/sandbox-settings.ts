/** What commands may reach over the network. */
export interface SandboxNetworkConfig {
  /** Hosts, also `*.example.com`, optionally with `:port`. None: no network at all. */
  readonly allowedDomains?: readonly string[];
  /** Counts before `allowedDomains`. */
  readonly deniedDomains?: readonly string[];
  /** Of managed settings only: no other source adds allowed domains. Without effect here, where sources are merged already. */
  readonly allowManagedDomainsOnly?: boolean;
  /** Let commands listen on ports of this machine. On Linux they always may, each on a loopback of its own. */
  readonly allowLocalBinding?: boolean;
  /** Paths of Unix sockets that commands may use. */
  readonly allowUnixSockets?: readonly string[];
  readonly allowAllUnixSockets?: boolean;
  /** Names of Mach services that commands may look up on macOS, also `com.example.*`. */
  readonly allowMachLookup?: readonly string[];
  /** A proxy of the person's own on this machine, which then decides instead of the built-in one. */
  readonly httpProxyPort?: number;
  readonly socksProxyPort?: number;
}

/**
 * What commands may open. Paths are absolute, `~/…`, or relative to the session's folder; `*`, `?`, `[…]` and `**` are
 * patterns of what exists when a command begins.
 */
export interface SandboxFilesystemConfig {
  /** Beside the session's folders. */
  readonly allowWrite?: readonly string[];
  /** Counts before `allowWrite` and the session's folders. */
  readonly denyWrite?: readonly string[];
  readonly denyRead?: readonly string[];
  /** What may be read although it lies in a folder that may not, or is hidden unless said, such as `~/.ssh`. */
  readonly allowRead?: readonly string[];
}

/** How commands are kept from the rest of the machine. */
export interface SandboxSettings {
  /** False unless said. */
  readonly enabled?: boolean;
  /** True unless said: where the sandbox cannot be enforced, nothing starts. False runs commands without, and says so. */
  readonly failIfUnavailable?: boolean;
  /** True unless said. */
  readonly autoAllowBashIfSandboxed?: boolean;
  /** Commands that run outside. */
  readonly excludedCommands?: readonly string[];
  /** True unless said: a call may ask to run outside, which the permission rules decide. */
  readonly allowUnsandboxedCommands?: boolean;
  readonly network?: SandboxNetworkConfig;
  readonly filesystem?: SandboxFilesystemConfig;
  /** Patterns of what is not reported when it is refused, by `file`, `network`, or a part of the command it is about. */
  readonly ignoreViolations?: Readonly<Record<string, readonly string[]>>;
  /** For containers that forbid a fresh /proc: commands then see the processes of the container. */
  readonly enableWeakerNestedSandbox?: boolean;
  /** Without effect here: searches are no commands, and patterns of paths need no program. */
  readonly ripgrep?: { readonly command: string; readonly args?: readonly string[] };
}
