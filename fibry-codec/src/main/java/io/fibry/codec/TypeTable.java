package io.fibry.codec;

import java.lang.invoke.MethodType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * All types that can be reached from the roots. It is made once, by the thread that makes the codec, and refuses what cannot be
 * written. No class is found by its name: bytes can only choose among these.
 */
final class TypeTable {
    /** How many types with arguments may be inside one another. */
    private static final int DEEPEST = 16;

    private final List<Shape> shapes = new ArrayList<>();
    private final List<ShapeRef> roots = new ArrayList<>();
    private final Map<TypeUse, ShapeRef> refs = new LinkedHashMap<>();
    private final Map<Class<?>, ShapeRef> byClass = new HashMap<>();
    private final Map<Class<?>, String> names = new LinkedHashMap<>();
    private final Map<String, Class<?>> classes = new HashMap<>();

    TypeTable(Class<?>... roots) {
        for (var root : roots) {
            try {
                if (root.getTypeParameters().length > 0) {
                    throw new Fault(
                            "has type parameters, so that its components are not known: use it as a component of a record, "
                                    + "or permit it in a sealed interface with arguments");
                }
                this.roots.add(ref(TypeUse.of(root)));
            } catch (Fault e) {
                throw new CodecException("Not a type for a codec: " + e.within(root.getSimpleName()).text(),
                        e.getCause());
            }
        }
        refs.forEach((use, ref) -> {
            if (use.raw().getTypeParameters().length == 0) {
                byClass.put(use.raw(), ref);
                // Values of a primitive type are of its box.
                byClass.putIfAbsent(MethodType.methodType(use.raw()).wrap().returnType(), ref);
            }
        });
    }

    Map<Class<?>, ShapeRef> byClass() {
        return byClass;
    }

    Map<Class<?>, String> names() {
        return names;
    }

    Set<String> typeNames() {
        return Collections.unmodifiableSet(new TreeSet<>(names.values()));
    }

    static String wireName(Class<?> type) {
        return given(type, type.getSimpleName(), type.getName());
    }

    static String given(AnnotatedElement element, String otherwise, String where) {
        var given = element.getAnnotation(WireName.class);
        if (given == null) {
            return otherwise;
        }
        if (!given.value().matches("[^\\s:?<>,]+")) {
            throw new Fault("the @WireName " + Texts.quoted(given.value()) + " of " + where
                    + " must have letters and digits, not blanks nor : ? < > ,");
        }
        return given.value();
    }

    private ShapeRef ref(TypeUse use) {
        var known = refs.get(use);
        if (known != null) {
            return known;
        }
        if (use.depth() > DEEPEST) {
            throw new Fault("has more than " + DEEPEST
                    + " types with arguments inside one another, perhaps as " + use.raw().getSimpleName()
                    + " contains itself with a longer argument each time: use the same arguments, or a record without them");
        }
        var ref = new ShapeRef(shapes, shapes.size());
        shapes.add(ValueShape.PENDING);
        refs.put(use, ref);
        shapes.set(ref.index(), make(use, ref));
        return ref;
    }

    private List<ShapeRef> refs(List<TypeUse> uses) {
        var all = new ArrayList<ShapeRef>();
        for (var use : uses) {
            all.add(ref(use));
        }
        return List.copyOf(all);
    }

    private Shape make(TypeUse use, ShapeRef self) {
        var type = use.raw();
        var value = ValueShape.of(type);
        if (value != null) {
            return value;
        }
        if (type == List.class || type == Set.class) {
            return new ListShape(type == Set.class, ref(arguments(use).getFirst()));
        }
        if (type == Map.class) {
            var key = arguments(use).getFirst();
            return new MapShape(MapKey.of(key.raw(), ref(key).shape()), ref(arguments(use).getLast()));
        }
        if (type.isEnum()) {
            name(type);
            return EnumShape.of(type);
        }
        if (type.isRecord()) {
            return makeRecord(use, self);
        }
        if (type.isSealed() && type.isInterface()) {
            return makeSealed(use);
        }
        throw new Fault(remedy(type));
    }

    private static List<TypeUse> arguments(TypeUse use) {
        if (use.arguments().isEmpty()) {
            throw new Fault("is a " + use.raw().getSimpleName()
                    + " without a type of its elements: write it, as in List<String>");
        }
        return use.arguments();
    }

    private static String remedy(Class<?> type) {
        var is = type.getName() + " cannot be written: ";
        if (type == Optional.class) {
            return is
                    + "Optional may be the type of a component only, with its argument, not within other types nor a root";
        }
        if (type.isArray()) {
            return is + "of the arrays only byte[] can; use a List";
        }
        if (List.class.isAssignableFrom(type) || Set.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type)
                || type == Iterable.class || type == Collection.class) {
            return is + "declare it as List, Set or Map";
        }
        if (type.isInterface()) {
            return is
                    + "it is an interface that is not sealed; make it sealed and let it permit records and enums";
        }
        if (type.getName().startsWith("java.")) {
            return is
                    + "of the JDK's classes only strings, numbers, booleans, UUID, java.time, byte[], List, Set, Map and Optional can; "
                    + "use one of these, or a record of them";
        }
        return is + "it is a class; make it a record, an enum, or a sealed interface of records";
    }

    private String name(Class<?> type) {
        var name = unique(type);
        names.put(type, name);
        return name;
    }

    /** Returns the name of a type, which no other type may have: golden files would not tell them apart. */
    private String unique(Class<?> type) {
        var name = wireName(type);
        if (name.isEmpty()) {
            throw new Fault(type.getName() + " has no name: give it one");
        }
        // Otherwise one could take the place of the other, and a golden file would not show it.
        if (ValueShape.LABELS.contains(name)) {
            throw new Fault(type.getName() + " is called " + name
                    + " in the bytes, as a type of the JDK is: give it a @WireName");
        }
        var other = classes.putIfAbsent(name, type);
        if (other != null && other != type) {
            throw new Fault(type.getName() + " and " + other.getName() + " are both called " + name
                    + " in the bytes: give one of them a @WireName");
        }
        return name;
    }

    private Shape makeRecord(TypeUse use, ShapeRef self) {
        var type = use.raw();
        var name = name(type);
        var components = type.getRecordComponents();
        var types = new Class<?>[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
        }
        var places = new LinkedHashSet<String>();
        var parts = new RecordPart[components.length];
        for (int i = 0; i < components.length; i++) {
            try {
                parts[i] = part(use, components[i]);
                if (!places.add(parts[i].name())) {
                    throw new Fault("has the wire name " + parts[i].name() + ", as another component of "
                            + name + " has");
                }
            } catch (Fault e) {
                throw e.within(components[i].getName());
            }
        }
        try {
            var constructor = type.getDeclaredConstructor(types);
            if (!constructor.trySetAccessible()) {
                throw closed(type);
            }
            return new RecordShape(name, refs(use.arguments()), self, constructor, List.of(parts),
                    RecordShape.places(places));
        } catch (NoSuchMethodException e) {
            throw new Fault(type.getName() + " has no constructor with all its components", e);
        }
    }

    private static Fault closed(Class<?> type) {
        return new Fault(type.getName() + " cannot be reached from the module io.fibry.codec: add \"opens "
                + type.getPackageName()
                + " to io.fibry.codec;\" to its module-info.java");
    }

    private RecordPart part(TypeUse of, RecordComponent component) {
        var accessor = component.getAccessor();
        if (!accessor.trySetAccessible()) {
            throw closed(of.raw());
        }
        var name = given(component, component.getName(), component.getName());
        var use = TypeUse.of(component.getGenericType(), of.bound());
        // An annotation that is for methods, parameters and fields is not on the component.
        var nullable = nullable(component) || nullable(component.getAnnotatedType()) || nullable(accessor);
        if (use.raw() == Optional.class) {
            if (nullable) {
                throw new Fault("is both Optional and @Nullable: choose one");
            }
            return new RecordPart(name, RecordPart.Presence.OPTIONAL, ref(arguments(use).getFirst()),
                    accessor);
        }
        if (nullable && use.raw().isPrimitive()) {
            throw new Fault("is a @Nullable " + use + ", which is never null: use its box");
        }
        return new RecordPart(name, nullable ? RecordPart.Presence.NULLABLE : RecordPart.Presence.REQUIRED,
                ref(use), accessor);
    }

    /** Any annotation of that name counts, as long as it is kept at run time. */
    private static boolean nullable(AnnotatedElement element) {
        for (var annotation : element.getAnnotations()) {
            if (annotation.annotationType().getSimpleName().equals("Nullable")) {
                return true;
            }
        }
        return false;
    }

    private Shape makeSealed(TypeUse use) {
        var permitted = new LinkedHashSet<TypeUse>();
        leaves(use, permitted);
        var byType = new HashMap<Class<?>, String>();
        var byName = new TreeMap<String, ShapeRef>();
        for (var leaf : permitted) {
            var ref = ref(leaf);
            var name = wireName(leaf.raw());
            byType.put(leaf.raw(), name);
            byName.put(name, ref);
        }
        return new SealedShape(use.raw(), unique(use.raw()), refs(use.arguments()), Map.copyOf(byType),
                Collections.unmodifiableMap(byName));
    }

    private void leaves(TypeUse use, Set<TypeUse> found) {
        for (var subtype : use.raw().getPermittedSubclasses()) {
            if (subtype.isRecord() || subtype.isEnum()) {
                found.add(use.permitted(subtype));
            } else if (subtype.isSealed() && subtype.isInterface()) {
                ref(use.permitted(subtype));
                leaves(use.permitted(subtype), found);
            } else {
                throw new Fault(use.raw().getName() + " permits " + subtype.getName()
                        + ", which is neither a record nor an enum nor a sealed interface");
            }
        }
    }

    /** Lines of a golden file. */
    String describe(Iterable<Upcaster> upcasters) {
        var types = new TreeMap<String, String>();
        for (var shape : shapes) {
            switch (shape) {
                case RecordShape each -> {
                    var text = new StringBuilder("record " + each.label() + '\n');
                    for (var part : each.parts()) {
                        text.append("    ").append(part.name()).append(": ").append(part.label())
                                .append('\n');
                    }
                    types.put("record " + each.label(), text.toString());
                }
                case EnumShape each -> types.put("enum " + each.label(),
                        "enum " + each.label() + ": " + String.join(" ", each.constants().keySet()) + '\n');
                case SealedShape each -> types.put("sealed " + each.label(),
                        "sealed " + each.label() + ": " + each.permits() + '\n');
                case ValueShape each -> {}
                case ListShape each -> {}
                case MapShape each -> {}
            }
        }
        for (var root : roots) {
            types.put("root " + root.label(), "root " + root.label() + '\n');
        }
        for (var upcaster : upcasters) {
            types.put("upcast " + upcaster.type(),
                    "upcast " + upcaster.type() + ": " + upcaster.becomes() + '\n');
        }
        return String.join("", types.values());
    }
}
