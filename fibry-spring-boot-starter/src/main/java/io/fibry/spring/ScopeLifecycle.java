package io.fibry.spring;

import io.fibry.ActorScope;
import io.fibry.StopReport;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the scopes that are beans when the context is closed: after the web server has answered its requests and has stopped, and
 * before any bean is destroyed. A context that cannot start destroys its beans without stopping them before, so the first
 * bean that is destroyed closes the scopes.
 */
final class ScopeLifecycle implements SmartLifecycle, DestructionAwareBeanPostProcessor {
    /** Spring stops the highest phase first. The last phase of web servers is 2,048 below the highest one. */
    static final int PHASE = DEFAULT_PHASE - 4096;

    private static final Logger LOG = LoggerFactory.getLogger(ScopeLifecycle.class);

    private final ConfigurableListableBeanFactory beans;
    /** Written by the thread that starts or stops the context. */
    private volatile boolean isRunning;
    /** Written by the thread that ends the context. */
    private volatile boolean isClosed;

    ScopeLifecycle(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void start() {
        for (var scope : scopes()) {
            if (scope.onStopped().isDone()) {
                throw new IllegalStateException("scope '" + scope.name()
                        + "' was closed when this context was stopped, and cannot be opened again;"
                        + " refresh the context, or make a new one");
            }
        }
        isRunning = true;
    }

    @Override
    public void stop() {
        close();
        isRunning = false;
    }

    /** The last scope first, since it may send to those that were defined before it. */
    private void close() {
        isClosed = true;
        for (var scope : scopes().reversed()) {
            var report = scope.stop(scope.closeTimeout());
            if (!report.stopped() || report.forced()) {
                LOG.warn(text(scope, report));
            }
        }
    }

    /** A context that was started is stopped before its beans are destroyed. */
    @Override
    public boolean requiresDestruction(Object bean) {
        return !isRunning;
    }

    @Override
    public void postProcessBeforeDestruction(Object bean, String name) {
        if (!isClosed && isEnd()) {
            close();
        }
    }

    /** Returns whether all beans are being destroyed, and not just one. Spring has no method that tells this. */
    private static boolean isEnd() {
        return StackWalker.getInstance().walk(
                calls -> calls.anyMatch(call -> call.getMethodName().equals("destroySingletons")));
    }

    private static String text(ActorScope scope, StopReport report) {
        return "scope '" + scope.name() + "' was not done after " + scope.closeTimeout()
                + " (fibry.scope.close-timeout), so its handlers were interrupted; lost messages: "
                + report.lost() + "; actors that still run: " + report.stuck();
    }

    /** Returns the scopes that were made. One that is lazy and was not needed is not made now. */
    private List<ActorScope> scopes() {
        return List.of(beans.getBeanNamesForType(ActorScope.class, false, false)).stream()
                .filter(beans::containsSingleton).map(name -> beans.getBean(name, ActorScope.class)).toList();
    }

    @Override
    public boolean isRunning() {
        return isRunning;
    }

    /** A closed scope stays closed, so a context that pauses keeps its scopes. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
