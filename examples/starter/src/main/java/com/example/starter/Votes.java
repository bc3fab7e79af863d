package com.example.starter;

import io.fibry.Actor;
import io.fibry.ActorScope;
import java.util.Map;
import java.util.TreeMap;

/** Counts votes. The state belongs to the actor, so it needs no lock. */
final class Votes {
    /** What the actor understands. Each message is answered with the counts after it. */
    sealed interface Message {
        record Vote(String choice) implements Message {}

        record Show() implements Message {}
    }

    private final Map<String, Integer> counts = new TreeMap<>();

    private Votes() {}

    /** Makes the actor in a scope, which ends it. */
    static Actor<Message, Map<String, Integer>> actor(ActorScope scope) {
        return scope.named("votes").state(Votes::new)
                .newActorWithReturn((Votes votes, Message message) -> votes.handle(message));
    }

    private Map<String, Integer> handle(Message message) {
        switch (message) {
            case Message.Vote(var choice) -> counts.merge(choice, 1, Integer::sum);
            case Message.Show() -> { }
        }
        // A copy: what leaves the actor must not change later.
        return new TreeMap<>(counts);
    }
}
