package io.fibry.dump;

import java.time.Duration;
import java.util.function.Function;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanParameterInfo;
import javax.management.ReflectionException;
import org.jspecify.annotations.Nullable;

/** The dumps of a scope, as operations of a bean. */
final class DumpOperations implements DynamicMBean {
    private static final MBeanInfo INFO = new MBeanInfo(DumpOperations.class.getName(), "Dumps of actors",
            null, null,
            new MBeanOperationInfo[]{operation("summary", "a line that sums up the actors"),
                operation("text", "a dump as text for people"),
                operation("text", "a dump as text for people",
                        new MBeanParameterInfo("actors", "int",
                                "how many actors of each scope are shown one by one"),
                        new MBeanParameterInfo("frames", "int", "how many frames of a stack are shown"),
                        new MBeanParameterInfo("overMillis", "long",
                                "the time between two looks, in milliseconds; zero for one look")),
                operation("json", "a dump as JSON for programs")},
            null);

    private final Function<DumpOptions, Dump> source;

    DumpOperations(Function<DumpOptions, Dump> source) {
        this.source = source;
    }

    private static MBeanOperationInfo operation(String name, String description,
            MBeanParameterInfo... parameters) {
        return new MBeanOperationInfo(name, description, parameters, String.class.getName(),
                MBeanOperationInfo.INFO);
    }

    @Override
    public Object invoke(String operation, Object @Nullable [] values, String @Nullable [] types)
            throws ReflectionException {
        var count = values == null ? 0 : values.length;
        if (values != null && count == 3 && operation.equals("text")) {
            var over = Duration.ofMillis((Long) values[2]);
            return source.apply(new DumpOptions((Integer) values[0], (Integer) values[1], over)).text();
        }
        return switch (count == 0 ? operation : "") {
            case "summary" -> source.apply(DumpOptions.defaults().withActors(0).withFrames(0)).toString();
            case "text" -> source.apply(DumpOptions.defaults()).text();
            case "json" -> source.apply(DumpOptions.defaults()).json();
            default -> throw new ReflectionException(
                    new NoSuchMethodException(operation + " with " + count + " values"));
        };
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        return INFO;
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute);
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
        throw new AttributeNotFoundException(attribute.getName());
    }

    @Override
    public AttributeList getAttributes(String[] attributes) {
        return new AttributeList();
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
        return new AttributeList();
    }
}
