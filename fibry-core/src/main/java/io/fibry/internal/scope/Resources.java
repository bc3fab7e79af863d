package io.fibry.internal.scope;

import io.fibry.event.Failed;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.handle.Handle;
import io.fibry.internal.memory.FieldAccess;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The resources that a scope closes when all its actors have stopped. An actor holds them: the <em>holder</em>,
 * which is made for the first resource and stopped after all other actors. So each resource is closed once and
 * within the deadline, and what its {@code close} throws is reported.
 */
final class Resources {
    private static final VarHandle HOLDER =
            FieldAccess.of(MethodHandles.lookup(), "holder", Handle.class);

    private final Scope scope;
    /** Made by the thread that adds the first resource, by CAS from null. */
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
                closeNow(resource); // as ActorScope.closeOnExit promises for a closed scope
                return;
            }
        }
        holding.closeOnExit(() -> closeNow(resource));
    }

    private Handle<?, ?> make(ActorSpec spec) {
        Handle<?, ?> fresh = ActorFactory.cell(
                Setting.handDown(spec, Setting.Heir.OWN).stoppedIn(ActorSpec.LAST_PHASE),
                Behaviors.handler(message -> {
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
