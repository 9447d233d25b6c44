/// <reference lib="dom" />
// The page: the view of one session in a browser. The host's address, the session and the token come from the form that a
// person fills in, or from the page that embeds this one (`window.rondo`); a token never stands in a URL.
import { connect } from '@rondo/client';
import { openSessionView, type Seen } from './session-view.ts';

interface Place {
  readonly url: string;
  readonly token: string;
  readonly agent: string;
}

declare global {
  interface Window {
    readonly rondo: Place;
  }
}

const { url, token, agent } = window.rondo;
const bindingId = `agent:${agent}`;
const client = connect(url, { token });

const known = localStorage.getItem('rondo:session');
const session = known === null ? await client.createSession({ bindingId }) : client.session(known, { bindingId });
localStorage.setItem('rondo:session', session.id);

const lines = find('lines');
const questions = find('questions');
const view = openSessionView(client, session, { memory: localStorage, show });

function show(seen: Seen): void {
  lines.replaceChildren(...seen.lines.map(({ who, text }) => element('li', `${who}: ${text}`)));
  questions.replaceChildren(
    ...seen.questions.map((question) => {
      const item = element('li', question.title);
      item.append(
        button('Allow', () => view.answer(question, true)),
        button('Deny', () => view.answer(question, false)),
      );
      return item;
    }),
  );
}

find('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = find('message') as HTMLInputElement;
  void view.send(input.value);
  input.value = '';
});
document.body.dataset['ready'] = session.id;

function find(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function button(label: string, press: () => Promise<void>): HTMLElement {
  const made = element('button', label);
  made.addEventListener('click', () => void press());
  return made;
}
