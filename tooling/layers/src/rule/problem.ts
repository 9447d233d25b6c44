export interface Problem {
  /** `path:line`, or a path alone where the whole file is meant. */
  where: string;
  message: string;
}
