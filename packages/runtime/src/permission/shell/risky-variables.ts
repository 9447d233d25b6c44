/** Variables that have programs run, load or find other code than the line names, or send what they do elsewhere. */
export const riskyVariables: readonly string[] = [
  'PATH IFS ENV BASH_ENV BASHOPTS SHELLOPTS PS0 PS1 PS2 PS4 PROMPT_COMMAND CDPATH FPATH ZDOTDIR SHELL HOME HISTFILE',
  'NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED',
  'EDITOR VISUAL PAGER MANPAGER MANOPT BROWSER LESSOPEN LESSCLOSE LESSKEY LESS MORE FCEDIT SUDO_EDITOR SUDO_ASKPASS SYSTEMD_EDITOR',
  'VIMINIT GVIMINIT EXINIT MYVIMRC XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS XDG_DATA_HOME',
  'SSH_ASKPASS SSH_AUTH_SOCK RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH TAR_OPTIONS TAPE GZIP BZIP2 XZ_OPT UNZIP ZIPOPT',
  'MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES CC CXX LD AS AR CPP FC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CMAKE_TOOLCHAIN_FILE',
  'RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTFLAGS RUSTDOC GOFLAGS GOPROXY GOTOOLCHAIN GOENV GOROOT',
  'CLASSPATH JAVA_HOME JAVA_OPTS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS ANT_OPTS SBT_OPTS',
  'AWKPATH AWKLIBPATH GAWK_PERSIST_FILE RIPGREP_CONFIG_PATH GREP_OPTIONS FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS WGETRC CURL_HOME',
  'DOCKER_HOST DOCKER_CONFIG KUBECONFIG KUBE_EDITOR AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE CLOUDSDK_CONFIG TERMINFO',
  'LOCPATH NLSPATH GCONV_PATH MALLOC_TRACE RESOLV_HOST_CONF HOSTALIASES TMPDIR PSQLRC PGSERVICEFILE MYSQL_HOME SQLITE_HISTORY OPENSSL_CONF',
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY http_proxy https_proxy all_proxy REQUESTS_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE',
]
  .join(' ')
  .split(' ');

/** As `riskyVariables`, by how the names begin. */
export const riskyPrefixes: readonly string[] = [
  'LD_ DYLD_ GIT_ BASH_FUNC_ PYTHON PERL RUBY GEM_ BUNDLE_ PHP LUA_ R_ npm_config_ NPM_CONFIG_ YARN_ PNPM_ COREPACK_ CARGO_ RUSTUP_',
  'PIP_ UV_ POETRY_ CONDA_ VIRTUAL_ENV DENO_ BUN_ TS_NODE_ TSX_ SUDO_ GCC_ CMAKE_ GLIBC_ QT_PLUGIN GTK_ GIO_ NIX_ GUIX_ ASAN_ DOCKER_ COMPOSE_',
]
  .join(' ')
  .split(' ');

/** Settings under these names that change nothing about what runs. */
const harmlessSetting =
  /^(?:PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|IOENCODING|UTF8|HASHSEED|FAULTHANDLER|NOUSERSITE)=[\w:.-]*|CARGO_(?:TERM_COLOR|INCREMENTAL|NET_OFFLINE|BUILD_JOBS)=[\w-]*|(?:GIT_|MAN)?PAGER=(?:cat)?|GIT_(?:TERMINAL_PROMPT|OPTIONAL_LOCKS)=[01]|GIT_(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)=.*|PIP_(?:NO_INPUT|DISABLE_PIP_VERSION_CHECK|NO_CACHE_DIR|QUIET)=\w*|NODE_OPTIONS=(?:--(?:max-old-space-size=\d+|no-warnings|enable-source-maps|trace-warnings|no-deprecation|experimental-vm-modules)\s*)+|npm_config_(?:yes|loglevel|progress|fund|audit)=\w*|(?:DOCKER_BUILDKIT|DENO_NO_UPDATE_CHECK|UV_NO_PROGRESS)=\w*)$/;

/** Whether the value may change what runs. One that only running tells may. */
export function isRiskySetting(name: string, value: string | undefined): boolean {
  return isRiskyVariable(name) && (value === undefined || !harmlessSetting.test(`${name}=${value}`));
}

/** Variables that say where files with code lie: what they change stands in files. */
const codePlaces = new Set([
  'PYTHONPATH',
  'NODE_PATH',
  'CLASSPATH',
  'PERL5LIB',
  'RUBYLIB',
  'VIRTUAL_ENV',
  'JAVA_HOME',
  'GOROOT',
  'TMPDIR',
  'CARGO_TARGET_DIR',
  'CARGO_HOME',
]);

export function isCodePlace(name: string): boolean {
  return codePlaces.has(name);
}

const risky = new Set(riskyVariables);

export function isRiskyVariable(name: string): boolean {
  return risky.has(name) || riskyPrefixes.some((prefix) => name.startsWith(prefix));
}
