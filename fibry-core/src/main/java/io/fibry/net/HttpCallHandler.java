package io.fibry.net;

import io.fibry.Actor;
import io.fibry.ActorStoppedException;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxFullException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ExecutionException;

/**
 * Answers the requests to a route. A handler may block and may throw anything. It is called for many requests at the
 * same time, unless it asks an actor.
 */
@FunctionalInterface
public interface HttpCallHandler {
    /**
     * Answers one request.
     *
     * @param call the request
     * @return the answer
     * @throws Exception if the request cannot be answered; the client gets the status 500, or the status of an {@link
     *     HttpProblem}
     */
    HttpAnswer handle(HttpCall call) throws Exception;

    /**
     * Returns a handler that lets an actor answer, one request at a time. If the mailbox of the actor does not accept a
     * request, the client gets the status 503. If the answer is late, the client gets the status 504.
     *
     * @param actor the actor
     * @param deadline how long an answer may take, including the time in the mailbox
     * @return the handler
     */
    static HttpCallHandler asking(Actor<HttpCall, HttpAnswer> actor, Duration deadline) {
        Objects.requireNonNull(actor, "actor");
        if (Objects.requireNonNull(deadline, "deadline").isZero() || deadline.isNegative()) {
            throw new IllegalArgumentException("deadline must be more than zero: " + deadline);
        }
        return call -> {
            try {
                var answer = actor.ask(call, deadline);
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
