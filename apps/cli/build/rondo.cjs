#!/usr/bin/env node
// The command's front step. Syntax and modules that every Node since 10 has until the version is known: an old one gets
// one sentence instead of a stack trace.
'use strict';

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
  require('./start.js').start(__dirname);
}

function isAskedForVersion() {
  return process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-v');
}

/** Says what the command itself would, without loading it. False when that failed: the command then tries, and tells. */
function printVersion() {
  var fs = require('fs');
  try {
    var manifest = JSON.parse(fs.readFileSync(require('path').join(__dirname, '..', 'package.json'), 'utf8'));
    fs.writeSync(1, manifest.version + ' (Rondo)\n');
    return true;
  } catch {
    return false;
  }
}
