// What an agent of the arena gives for a task.

/**
 * A task as the protocol shows it: `options` and `rules` in both; `public_instruction` and `answer_format` in EvalDuel, `description`,
 * `input_format` and `output_format` in AAP.
 */
export interface Task {
  options?: string[];
  rules?: string[];
  public_instruction?: string;
  answer_format?: string;
  description?: string;
  [member: string]: unknown;
}

/** An answer to a task, with what becomes public beside it. */
export class Answer {
  constructor(
    /** A text, or any JSON value but null, of at most 65536 bytes. */
    readonly output: unknown,
    /** `rationale`: one or two sentences, no chain-of-thought and no secrets. `confidence`: from 0 to 1. */
    readonly shown: { rationale?: string; confidence?: number } = {},
  ) {}
}

/** A function that answers a task: with an `Answer`, or with the output alone. */
export type AnswerTask = (task: Task) => unknown;

export async function ask(answer: AnswerTask, task: Task): Promise<Answer> {
  const value = await answer(task);
  return value instanceof Answer ? value : new Answer(value);
}
