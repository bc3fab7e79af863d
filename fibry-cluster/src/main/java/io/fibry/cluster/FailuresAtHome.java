package io.fibry.cluster;

import io.fibry.internal.actor.AskFailures;
import java.util.Optional;

/** What asks of shared actors fail with at home, so that they fail there as they do from another node. */
record FailuresAtHome(String group, ClusterNode self) implements AskFailures {
    @Override
    public RemoteException thrown(Throwable thrown) {
        return AnswerBody.failure(thrown).exception();
    }

    @Override
    public NotHandledException lost(Throwable why) {
        return new NotHandledException("A message to the group '" + group + "' was not handled by node '"
                + self.name() + "': " + why.getMessage(), why);
    }

    /** Returns why no handler has got the message of an ask that has failed so; empty if one has. */
    static Optional<Throwable> whyLost(Throwable failure) {
        return failure instanceof NotHandledException lost ? Optional.ofNullable(lost.getCause())
                : Optional.empty();
    }
}
