package io.fibry.internal.scope;

import io.fibry.MailboxPolicy;
import io.fibry.event.Failed;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Handle;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a scope closes when all its actors have stopped. It is held by an actor that is made with the first one and stopped
 * after all others: so each is closed once, within the deadline, and what it throws is reported.
 */
final class Resources {
    private static final VarHandle HOLDER =
            FieldAccess.of(MethodHandles.lookup(), "holder", Handle.class);

    private final Scope scope;
    private volatile @Nullable Handle<?, ?> holder;

    Resources(Scope scope) {
        this.scope = scope;
    }

    void add(AutoCloseable resource, Supplier<ActorSpec> spec) {
        var holding = holder;
        if (holding == null) {
            try {
                holding = make(spec.get());
            } catch (IllegalStateException closed) {
                closeNow(resource); // as is said
                return;
            }
        }
        holding.closeOnExit(() -> closeNow(resource));
    }

    private Handle<?, ?> make(ActorSpec spec) {
        Handle<?, ?> fresh = ActorFactory.cell(
                spec.stoppedIn(ActorSpec.LAST_PHASE).with(MailboxPolicy.unbounded()),
                Behaviors.consumer(message -> {
                }));
        scope.admit(fresh, null);
        var before = (Handle<?, ?>) HOLDER.compareAndExchange(this, (Handle<?, ?>) null, fresh);
        if (before == null) {
            return fresh;
        }
        fresh.sendPoisonPill();
        return before;
    }

    private void closeNow(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Throwable failure) {
            scope.events().report(Failed.in(Failed.Part.CLOSE, scope.name(), failure));
        }
    }
}
