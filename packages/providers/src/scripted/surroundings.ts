/** What differs from machine to machine and from day to day in what a session says of its surroundings. */
export const surroundings = '^(Date|Platform|Git repository|Git branch): .*$';
