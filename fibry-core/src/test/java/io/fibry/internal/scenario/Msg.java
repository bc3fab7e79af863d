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
    /** Failed with the failure of the handler of another message, which is reported for that one. */
    boolean failedWithOther;
    int reported;
    @Nullable CompletableFuture<?> answer;
    /** Until when the answer is waited for, if there is a limit. */
    long deadline = Long.MAX_VALUE;
    /** When its handling began, by the scope's clock. */
    long begunAt;
    /** The actor whose handler asks, where that matters. */
    @Nullable Subject from;
    /** Whether it was sent to a name that nobody had. */
    boolean kept;

    Msg(String sender, int number) {
        this.sender = sender;
        this.number = number;
    }

    boolean isTimed() {
        return deadline != Long.MAX_VALUE;
    }

    /** Whether nobody waits for it any more. The time is over a little before the answer says so. */
    boolean isOver(long now) {
        return now >= deadline || (answer != null && answer.isDone());
    }

    @Override
    public String toString() {
        return sender + "#" + number + " (returned " + returned + ", threw " + threw + ", reported "
                + reported
                + (answer == null ? ")" : ", answer " + answer + ")");
    }
}
