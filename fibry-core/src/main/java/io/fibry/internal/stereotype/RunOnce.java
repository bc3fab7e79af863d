package io.fibry.internal.stereotype;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.function.Body;
import io.fibry.internal.actor.Current;
import io.fibry.internal.log.Logs;
import io.fibry.internal.report.ShownAs;
import io.fibry.internal.scope.StereotypeActors;
import java.util.Objects;
import org.slf4j.Logger;

/** An actor that runs a piece of code and stops. */
public final class RunOnce {
    private static final Logger LOG = Logs.of("io.fibry");

    private RunOnce() {
    }

    /**
     * Starts such an actor.
     *
     * @param <M> type of the messages
     * @param builder the builder of the actor
     * @param body the code
     * @return the actor
     */
    public static <M> Actor<M, Void> start(ActorBuilder builder, Body body) {
        return StereotypeActors.of(builder).newRunOnce(body);
    }

    /**
     * Starts such an actor whose failure is logged at debug level only.
     *
     * @param <M> type of the messages
     * @param builder the builder of the actor
     * @param body the code
     * @return the actor
     */
    public static <M> Actor<M, Void> startSilent(ActorBuilder builder, Body body) {
        return start(builder, new Silent(Objects.requireNonNull(body, "body")));
    }

    private record Silent(Body code) implements Body, ShownAs {
        @Override
        public void run() {
            try {
                code.run();
            } catch (Exception e) {
                LOG.debug("actor '{}': the code that runs once failed", Current.actor(), e);
            }
        }
    }
}
