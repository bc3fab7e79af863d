package io.fibry.event;

import java.util.Optional;

/**
 * An actor has failed and stops, and its failure is passed on to its parent. Its policy requires this, or the actor has been
 * restarted too often.
 *
 * @param actor its name
 * @param parent the name of the actor that fails next, if it has a parent
 * @param cause the failure
 */
public record Escalated(String actor, Optional<String> parent, Throwable cause) implements ActorEvent {
    @Override
    public String toString() {
        return RecordText.of(this).with("actor", actor).with("parent", parent).with("cause", cause)
                .toString();
    }
}
