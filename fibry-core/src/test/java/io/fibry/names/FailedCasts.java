package io.fibry.names;

import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;

/** Sends actors messages that they cannot take until HotSpot's second compiler has left out the texts of the failed casts. */
final class FailedCasts {
    /** HotSpot has optimised a failing cast long before that. */
    private static final int MOST_FAILURES = 300_000;
    /** Printed if the JVM gives each failed cast a text. */
    static final String NEVER_BARE = "never without a text";

    private FailedCasts() {
    }

    public static void main(String[] args) throws Exception {
        try (var scope = Scopes.on(Strategy.FIBERS)) {
            scope.named("hot").newActorWithReturn((Integer n) -> n + 1);
            var own = scope.named("own").newActorWithReturn((Object message) -> ((Integer) message) + 1);
            print("hot", scope.<Object, Object>find(ActorName.of("hot")).orElseThrow());
            print("own", own);
        }
    }

    private static void print(String name, Actor<Object, ?> actor) throws Exception {
        var failure = Waits.failure(actor.sendMessageReturn("text"));
        for (int i = 0; i < MOST_FAILURES && !isBare(failure); i++) {
            failure = Waits.failure(actor.sendMessageReturn("text"));
        }
        System.out.println("> " + name + ": " + (isBare(failure) ? failure.getMessage() : NEVER_BARE));
    }

    private static boolean isBare(Throwable failure) {
        return failure.getMessage() == null
                || (failure.getCause() != null && failure.getCause().getMessage() == null);
    }
}
