package io.fibry.cluster;

import io.fibry.Actor;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What other threads tell the actor of the member, and what they wait for. All threads may use it. */
final class MemberMailbox {
    private static final Logger LOGGER = LoggerFactory.getLogger(MemberMailbox.class);
    /** How long the actor of the member may take for something. It never waits. */
    private static final Duration END_LIMIT = Duration.ofSeconds(5);

    private final Actor<Input, @Nullable Object> member;

    MemberMailbox(Actor<Input, @Nullable Object> member) {
        this.member = member;
    }

    /** Puts something in, and returns false if the member has ended. */
    boolean put(Input input) {
        return member.sendMessage(input);
    }

    /** Puts something in; the future has the answer, or fails when the time is over. */
    CompletableFuture<@Nullable Object> ask(Input input, Duration limit) {
        return member.ask(input, limit);
    }

    /** Puts something in; the future has the answer, or fails when the member has ended. */
    CompletableFuture<@Nullable Object> ask(Input input) {
        return member.sendMessageReturn(input);
    }

    /** Waits until the member has handled the input that makes it begin. */
    void awaitBegin() throws InterruptedException, ExecutionException {
        var unused = member.sendMessageReturnWait(new Input.Begin());
    }

    /** Waits for an answer; returns false if the time was over, the member has ended, or the thread was interrupted. */
    boolean await(Input what, Duration limit) {
        try {
            var unused = ask(what, limit).get();
            return true;
        } catch (ExecutionException tooLate) {
            LOGGER.debug("{} was waited for in vain", what, tooLate);
            return false;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Waits as {@link #await} does, in a thread of its own, so neither an interrupt nor the deadline of the handler
     * that calls cuts it short. The thread that calls is interrupted afterwards if it was interrupted meanwhile.
     */
    boolean awaitApart(Input what, Duration limit) {
        return CompletableFuture.supplyAsync(() -> await(what, limit), Thread::startVirtualThread).join();
    }

    /** Waits until the member has handled something, which takes a moment. */
    void awaitInAnyCase(Input what) {
        var unused = awaitApart(what, END_LIMIT);
    }
}
