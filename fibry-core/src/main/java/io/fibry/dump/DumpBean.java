package io.fibry.dump;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.time.Cancellable;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Registers a bean for the dumps of a scope with the platform's server of beans, so that management tools such as JConsole can
 * take dumps:
 *
 * <pre>{@code
 * DumpBean.register(ActorSystem.root());
 * }</pre>
 *
 * <p>Who may call the bean is decided by the management agent of the JVM, which listens to no address unless it is told to. To
 * look into a JVM that runs, start the agent by {@code jcmd PID ManagementAgent.start_local}, and connect by JConsole.
 *
 * <p>Registering needs the module {@code java.management}. Any thread can register and remove a bean.
 */
public final class DumpBean {
    private DumpBean() {
    }

    /**
     * Registers a bean for a scope and the scopes inside it: {@code io.fibry:type=Dump,scope="NAME"}, with the
     * operations {@code summary}, {@code text} and {@code json}. It is removed when the scope has ended.
     *
     * @param scope the scope
     * @return removes the bean
     * @throws IllegalStateException if a bean for a scope of that name is registered already
     */
    public static Cancellable register(ActorScope scope) {
        Objects.requireNonNull(scope, "scope");
        var text = "io.fibry:type=Dump,scope=" + ObjectName.quote(scope.name());
        try {
            var name = new ObjectName(text);
            ManagementFactory.getPlatformMBeanServer().registerMBean(new DumpOperations(scope::dump), name);
            Cancellable registered = () -> remove(name);
            if (scope != ActorSystem.root()) { // which is never closed
                var unused = scope.onStopped().thenRun(registered::cancel);
            }
            return registered;
        } catch (InstanceAlreadyExistsException e) {
            throw new IllegalStateException("a bean with the name '" + text
                    + "' is registered already: keep what register() returned, and cancel it first", e);
        } catch (JMException e) {
            throw new IllegalStateException("the bean '" + text + "' cannot be registered", e);
        }
    }

    /** Returns false if the bean was removed before. */
    private static boolean remove(ObjectName name) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            return true;
        } catch (InstanceNotFoundException e) {
            return false;
        } catch (JMException e) {
            throw new IllegalStateException("the bean '" + name + "' cannot be removed", e);
        }
    }
}
