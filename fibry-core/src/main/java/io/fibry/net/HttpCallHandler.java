package io.fibry.net;

import io.fibry.Actor;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxFullException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;

/**
 * Answers the requests of a route. It may block and may throw anything; it is called by many requests at the
 * same time, unless it asks an actor.
 */
@FunctionalInterface
public interface HttpCallHandler {
    /**
     * Answers one request.
     *
     * @param call the request
     * @return the answer
     * @throws Exception whatever went wrong; the client gets a status 500, or that of an {@link HttpProblem}
     */
    HttpAnswer handle(HttpCall call) throws Exception;

    /**
     * Lets an actor answer, one request at a time. A client whose request does not get into the actor's
     * mailbox gets a status 503, one whose answer is late a 504.
     *
     * @param actor the actor
     * @param deadline how long it may take for an answer, time in the mailbox included
     * @return a handler that asks it
     */
    static HttpCallHandler asking(Actor<HttpCall, HttpAnswer> actor, Duration deadline) {
        Objects.requireNonNull(actor, "actor");
        if (Objects.requireNonNull(deadline, "deadline").isZero() || deadline.isNegative()) {
            throw new IllegalArgumentException("deadline must be more than zero: " + deadline);
        }
        return call -> {
            try {
                var answer = actor.sendMessageReturn(call, deadline);
                try {
                    return answer.get();
                } catch (InterruptedException e) {
                    answer.cancel(true);
                    throw e;
                }
            } catch (MailboxFullException full) {
                throw HttpProblem.busy(full);
            } catch (ExecutionException failed) {
                throw switch (failed.getCause()) {
                    case AskTimeoutException late ->
                        new HttpProblem(504, "this took too long; try again later", late);
                    case MailboxFullException full -> HttpProblem.busy(full);
                    case ActorStoppedException stopped -> HttpProblem.busy(stopped);
                    case Exception other -> other;
                    case Error error -> throw error;
                    case null, default -> failed;
                };
            }
        };
    }
}
