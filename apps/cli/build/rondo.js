#!/usr/bin/env node
// The command's front step. Syntax that every Node with ES modules reads, and no import before the version is known:
// an old Node gets one sentence instead of a stack trace.
var wanted = [22, 13];
var found = process.versions.node.split('.').map(Number);

if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  process.stderr.write(
    'rondo needs Node ' +
      wanted.join('.') +
      ' or newer; this is Node ' +
      process.versions.node +
      ': https://nodejs.org\n',
  );
  process.exitCode = 2;
} else if (!isAskedForVersion() || !printVersion()) {
  enableCompileCache();
  await import('./main.js');
}

function isAskedForVersion() {
  return process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-v');
}

/** Says what the command itself would, without loading it. False when that failed: the command then tries, and tells. */
function printVersion() {
  var fs = process.getBuiltinModule('node:fs');
  try {
    var manifest = JSON.parse(fs.readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    fs.writeSync(1, manifest.version + ' (Rondo)\n');
    return true;
  } catch {
    return false;
  }
}

/** The cache holds code that will be run, so its folder is the user's alone. Without a usable home there is no cache. */
function enableCompileCache() {
  if (process.env.NODE_DISABLE_COMPILE_CACHE || process.env.NODE_COMPILE_CACHE) return;
  var fs = process.getBuiltinModule('node:fs');
  var path = process.getBuiltinModule('node:path');
  try {
    var home = process.env.RONDO_HOME || path.join(process.getBuiltinModule('node:os').homedir(), '.rondo');
    var folder = path.join(home, 'cache', 'compile');
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    var stats = fs.lstatSync(folder);
    var foreign = process.getuid && stats.uid !== process.getuid();
    if (!stats.isDirectory() || foreign) return;
    if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) fs.chmodSync(folder, 0o700);
    process.getBuiltinModule('node:module').enableCompileCache(folder);
  } catch {
    // A read-only or missing home costs start-up time, not the command.
  }
}
