package io.fibry.spring;

import io.fibry.Actor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.UnsatisfiedDependencyException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;

/** Says which actors there are if one is to be injected that is not there. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class NamedActorFailureAnalyzer extends AbstractFailureAnalyzer<NoSuchBeanDefinitionException> {
    private final BeanFactory beans;

    NamedActorFailureAnalyzer(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable root, NoSuchBeanDefinitionException cause) {
        var point = point(root);
        if (point == null || !(beans instanceof ConfigurableListableBeanFactory factory)) {
            return null;
        }
        var name = point.value();
        var actors = actors(factory);
        var problem =
                cause.getNumberOfBeansFound() > 1 ? "There is more than one actor" : "There is no actor";
        var what = problem + " with the name '" + name + "' and the type " + cause.getResolvableType() + ". "
                + (actors.isEmpty() ? "No bean is an actor." : "The actors that are beans:"
                        + System.lineSeparator() + System.lineSeparator()
                        + String.join(System.lineSeparator(),
                                actors.stream().map(each -> "\t- " + each).toList()));
        return new FailureAnalysis(what, "Define a bean with @NamedActor(\"" + name
                + "\") of that type, or inject one of the others. An actor that is not a bean is found by"
                + " ActorScope.find.", cause);
    }

    /** Returns the annotation at the place where the injection has failed, if it is there. */
    private static @Nullable NamedActor point(Throwable root) {
        NamedActor found = null;
        for (Throwable each = root; each != null; each = each.getCause()) {
            if (each instanceof UnsatisfiedDependencyException unsatisfied) {
                var point = unsatisfied.getInjectionPoint();
                found = point == null ? null : point.getAnnotation(NamedActor.class);
            }
        }
        return found;
    }

    private static List<String> actors(ConfigurableListableBeanFactory factory) {
        var all = new ArrayList<String>();
        for (var bean : factory.getBeanNamesForType(Actor.class, true, false)) {
            var named = factory.findAnnotationOnBean(bean, NamedActor.class, false);
            var type = factory.containsBeanDefinition(bean)
                    && factory.getMergedBeanDefinition(bean) instanceof RootBeanDefinition definition
                            ? definition.getResolvableType()
                            : ResolvableType.forClass(Actor.class);
            all.add("'" + (named == null ? bean : named.value()) + "', " + type + " (bean '" + bean + "')");
        }
        return all;
    }
}
