package io.fibry.internal;

import io.fibry.ActorScope;
import io.fibry.CloseBehavior;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.ScopeBuilder;
import io.fibry.event.ActorListener;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How a scope is to be. Without a strategy of its own it follows its parent's, at any time. */
record ScopeSpec(@Nullable Scope parent, String name, @Nullable CreationStrategy strategy,
        MailboxPolicy mailbox,
        FailurePolicy onFailure, List<ActorListener> listeners, TimeSource time, Duration closeTimeout)
        implements
            ScopeBuilder {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

    static ScopeSpec ofRoot() {
        return new ScopeSpec(null, "root", null, MailboxPolicy.unbounded(), FailurePolicy.resume(), List.of(),
                SystemTime.INSTANCE, CLOSE_TIMEOUT);
    }

    /** How an anonymous actor of the scope is to be if it says nothing else. */
    ActorSpec forActor(Scope scope, CreationStrategy actorStrategy) {
        return new ActorSpec(scope, null, actorStrategy, Placement.of(actorStrategy), mailbox, onFailure,
                CloseBehavior.SEND_POISON_PILL_AND_WAIT, List.of(), false, false, false);
    }

    @Override
    public ScopeBuilder strategy(CreationStrategy newStrategy) {
        return new ScopeSpec(parent, name, Objects.requireNonNull(newStrategy, "strategy"), mailbox,
                onFailure,
                listeners, time, closeTimeout);
    }

    @Override
    public ScopeBuilder mailbox(MailboxPolicy policy) {
        return new ScopeSpec(parent, name, strategy, Objects.requireNonNull(policy, "policy"), onFailure,
                listeners, time, closeTimeout);
    }

    @Override
    public ScopeBuilder onFailure(FailurePolicy policy) {
        return new ScopeSpec(parent, name, strategy, mailbox, Objects.requireNonNull(policy, "policy"),
                listeners,
                time, closeTimeout);
    }

    @Override
    public ScopeBuilder listener(ActorListener listener) {
        var more = new ArrayList<>(listeners);
        more.add(Objects.requireNonNull(listener, "listener"));
        return new ScopeSpec(parent, name, strategy, mailbox, onFailure, List.copyOf(more), time,
                closeTimeout);
    }

    @Override
    public ScopeBuilder time(TimeSource newTime) {
        return new ScopeSpec(parent, name, strategy, mailbox, onFailure, listeners,
                Objects.requireNonNull(newTime, "time"), closeTimeout);
    }

    @Override
    public ScopeBuilder closeTimeout(Duration timeout) {
        Durations.nanos(timeout, "timeout");
        return new ScopeSpec(parent, name, strategy, mailbox, onFailure, listeners, time, timeout);
    }

    @Override
    public ActorScope open() {
        return Objects.requireNonNull(parent, "the root scope is open").open(this);
    }
}
