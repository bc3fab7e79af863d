package io.fibry.bench.jmh;

import io.fibry.Actor;
import io.fibry.ActorScope;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** What the actors do. Their handlers do next to nothing, so that all that shows is the cost of a message. */
public enum MeasuredWork {
    /** An actor asks another one, again and again. */
    ASK,
    /** A message is passed round a ring of actors. */
    RING,
    /** A thread sends {@value #BURST} new messages to an actor as fast as it can, and waits until they are handled. */
    FLOOD;

    /** {@code Integer} caches no number from it on. */
    private static final int FIRST = 1_000;
    private static final int ACTORS = 100;
    /** Fewer than a mailbox may hold before the library warns of it. */
    static final int BURST = 5_000;
    private static final int PATIENCE_SECONDS = 60;

    /** Returns how many messages were handled. */
    long run(ActorScope scope, int messages) throws Exception {
        return switch (this) {
            case ASK -> ask(scope, messages);
            case RING -> ring(scope, messages);
            case FLOOD -> flood(scope, messages);
        };
    }

    private static long ask(ActorScope scope, int messages) throws Exception {
        var asked = scope.anonymous().newActorWithReturn((Integer number) -> number);
        var asking = scope.anonymous().newActorWithReturn((Integer asks) -> {
            long answered = 0;
            for (int number = FIRST; number < FIRST + asks; number++) {
                answered += asked.apply(number) == number ? 1 : 0;
            }
            return answered;
        });
        return asking.sendMessageReturn(messages).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static long ring(ActorScope scope, int messages) throws InterruptedException {
        var done = new CountDownLatch(1);
        var handled = new long[1];
        var actors = new ArrayList<Actor<Integer, Void>>();
        for (int i = 0; i < ACTORS; i++) {
            int next = (i + 1) % ACTORS;
            actors.add(scope.anonymous().newActor((Integer left) -> {
                handled[0]++; // the message that is passed on makes it visible
                if (left == FIRST) {
                    done.countDown();
                } else {
                    actors.get(next).sendMessage(left - 1);
                }
            }));
        }
        actors.getFirst().sendMessage(FIRST + messages - 1);
        await(done);
        return handled[0];
    }

    private static long flood(ActorScope scope, int messages) throws InterruptedException {
        var last = new AtomicReference<>(new CountDownLatch(1));
        var handled = new long[1];
        var actor = scope.anonymous().newActor((Integer number) -> {
            handled[0]++;
            if (number == FIRST) {
                last.get().countDown();
            }
        });
        for (int left = messages; left > 0; left -= BURST) {
            var done = new CountDownLatch(1);
            last.set(done);
            for (int number = FIRST + Math.min(BURST, left) - 1; number >= FIRST; number--) {
                actor.sendMessage(number);
            }
            await(done);
        }
        return handled[0];
    }

    private static void await(CountDownLatch done) throws InterruptedException {
        if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the last message was not handled");
        }
    }
}
