export type FloorEvent =
  | { readonly type: 'message' | 'ended'; readonly at: number }
  | { readonly type: 'delta'; readonly text: string };

export interface FloorSocket {
  run(session: string, text: string, onEvent: (event: FloorEvent) => void): Promise<void>;
  close(): void;
}

export function openSocket(url: string): Promise<FloorSocket>;
