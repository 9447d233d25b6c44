let second = Number.NaN;
let upToSecond = '';

/** Milliseconds since 1970 as events say them: ISO 8601 in UTC. The date is worked out once a second. */
export function isoTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000);
  if (whole !== second) {
    upToSecond = new Date(whole * 1000).toISOString().slice(0, -4);
    second = whole;
  }
  return `${upToSecond}${String(Math.trunc(milliseconds - whole * 1000)).padStart(3, '0')}Z`;
}
