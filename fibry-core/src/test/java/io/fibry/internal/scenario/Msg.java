package io.fibry.internal.scenario;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A message, and what became of it. Each is another one, also if its text is the same. */
final class Msg {
    final String sender;
    final int number;
    boolean accepted;
    boolean begun;
    boolean dropped;
    int returned;
    int threw;
    int reported;
    @Nullable CompletableFuture<?> answer;
    /** Whether the answer has a time limit. */
    boolean timed;
    /** Whether it was sent to a name that nobody had. */
    boolean kept;

    Msg(String sender, int number) {
        this.sender = sender;
        this.number = number;
    }

    /** Whether nobody waits for it any more. Where the handler runs on the asker's thread, the answer is unknown. */
    boolean isOver() {
        return answer == null ? timed : answer.isDone();
    }

    @Override
    public String toString() {
        return sender + "#" + number + " (returned " + returned + ", threw " + threw + ", reported "
                + reported
                + (answer == null ? ")" : ", answer " + answer + ")");
    }
}
